package backends

import "context"

type tryKey struct{}

// WithTry tells a backend that the call is the n-th try of one operation. It
// is for stores whose behaviour is scripted by try; the first try needs none.
func WithTry(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, tryKey{}, n)
}

// Try returns the number given by [WithTry], 1 where there is none.
func Try(ctx context.Context) int {
	if n, ok := ctx.Value(tryKey{}).(int); ok {
		return n
	}
	return 1
}
