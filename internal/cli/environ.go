package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// envPrefix begins the environment variables that stand in for flags.
const envPrefix = "BENCH_"

// testPrefix begins those that are for the tests and concern no user.
const testPrefix = "BENCH_TEST_"

// applyEnviron sets every flag that was not given from its variable:
// --max-errors from BENCH_MAX_ERRORS. Unknown names are warned about, since
// a typing error would silently change what is measured.
func applyEnviron(env *Env, fs *pflag.FlagSet) error {
	var errs error
	fs.VisitAll(func(f *pflag.Flag) {
		value, ok := env.lookup(envName(f.Name))
		if !ok || f.Changed || errs != nil || f.Name == "help" {
			return
		}
		if err := fs.Set(f.Name, value); err != nil {
			errs = usage(fmt.Errorf("%s: %w", envName(f.Name), err))
		}
	})
	warnUnknown(env, fs)
	if errs != nil {
		return errs
	}
	return refuseEmpty(fs)
}

// refuseEmpty refuses an empty value where one was given: a variable that is
// not set in a script must not silently mean the default.
func refuseEmpty(fs *pflag.FlagSet) (err error) {
	fs.Visit(func(f *pflag.Flag) {
		if f.Value.String() == "" && err == nil {
			err = usage(fmt.Errorf("--%s is empty", f.Name))
		}
	})
	return err
}

func envName(flag string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

func warnUnknown(env *Env, fs *pflag.FlagSet) {
	var known []string
	fs.VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			known = append(known, envName(f.Name))
		}
	})
	for _, kv := range env.Environ {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, envPrefix) && !strings.HasPrefix(name, testPrefix) && !slices.Contains(known, name) {
			env.Warn("%s is no setting of this command and has no effect", name)
		}
	}
}
