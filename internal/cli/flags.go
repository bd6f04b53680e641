package cli

import (
	"time"

	"github.com/spf13/pflag"
)

// loadFlags are the flags of every command that runs a load. Their names and
// meanings are the same everywhere.
type loadFlags struct {
	concurrency int
	duration    time.Duration
	objects     int64
	ops, minOps int64
	size, dist  string
	rng, align  string
	batch       int
	maxKeys     int
	mix         string
	prefixes    int
	rate        float64
	arrival     string
	warmup      time.Duration
	maxErrors   int64
	errorRate   string
	timeout     time.Duration
	grace       time.Duration
	retries     int
	verify      bool
	keep        bool
	startAt     string
	seed        uint64
	labels      []string
	modes       string
	loops       int

	store  storeFlags
	output outputFlags
}

// storeFlags say how the target is used.
type storeFlags struct {
	sync   string
	direct bool
}

// outputFlags say what is shown and kept.
type outputFlags struct {
	out      string
	json     bool
	progress string
	interval time.Duration
}

func (f *loadFlags) add(fs *pflag.FlagSet) {
	f.addAmount(fs)
	f.addObjects(fs)
	f.addLimits(fs)
	f.store.add(fs)
	f.output.add(fs)
}

// addAmount adds how much is done, and when.
func (f *loadFlags) addAmount(fs *pflag.FlagSet) {
	fs.IntVarP(&f.concurrency, "concurrency", "c", 16, "workers, each with one operation at a time")
	fs.DurationVarP(&f.duration, "duration", "d", 30*time.Second, "measured time of each stage; 0: until --ops or -n is reached")
	fs.Int64Var(&f.ops, "ops", 0, "stop after this many operations in all")
	fs.Int64Var(&f.minOps, "min-ops", 0, "keep going past --duration until this many operations")
	fs.Float64Var(&f.rate, "rate", 0, "open loop: operations per second over all workers")
	fs.StringVar(&f.arrival, "arrival", "constant", "open loop: constant or poisson")
	fs.DurationVar(&f.warmup, "warmup", 0, "run and record this long before the measurement")
	fs.StringVar(&f.startAt, "start-at", "", "begin measuring at HH:MM[:SS] local time or at an RFC 3339 time")
	fs.Uint64Var(&f.seed, "seed", 0, "everything random follows from it (default random)")
}

// addObjects adds what the objects are like.
func (f *loadFlags) addObjects(fs *pflag.FlagSet) {
	fs.Int64VarP(&f.objects, "objects", "n", 0, "objects to prepare, or to write (default depends on the command)")
	fs.StringVarP(&f.size, "size", "s", "", "object size: 64KiB, a range 1KiB..10MiB, or weighted 4KiB:60,1MiB:40 (default depends on the command)")
	fs.StringVar(&f.dist, "size-dist", "log2", "sizes of a range: log2 (as many objects per doubling) or uniform")
	fs.StringVar(&f.rng, "range", "", "get: read so many bytes at a random offset")
	fs.StringVar(&f.align, "range-align", "16KiB", "get: ranged reads begin at a multiple of this")
	fs.IntVar(&f.batch, "batch", 0, "objects per delete request where the store can (default: del 100, else 1)")
	fs.IntVar(&f.maxKeys, "max-keys", 1000, "list: entries per page; one page is one operation")
	fs.IntVar(&f.prefixes, "prefixes", -1, "number of key prefixes, 0 for none (default one per worker)")
	fs.BoolVar(&f.verify, "verify", false, "compare every byte that is read with what was written")
	fs.BoolVar(&f.keep, "keep", false, "leave the objects in the store")
}

// addLimits adds when to give up.
func (f *loadFlags) addLimits(fs *pflag.FlagSet) {
	fs.Int64Var(&f.maxErrors, "max-errors", -1, "stop at more than this many failed operations; -1: no limit")
	fs.StringVar(&f.errorRate, "max-error-rate", "1%", "stop when more than this share fails, after at least 100 operations")
	fs.DurationVar(&f.timeout, "timeout", 60*time.Second, "longest time of one operation; 0: no limit")
	fs.DurationVar(&f.grace, "grace", 30*time.Second, "how long running operations may finish after a signal")
	fs.IntVar(&f.retries, "retries", 0, "try failed operations again, visibly")
	fs.StringArrayVar(&f.labels, "label", nil, "k=v to keep in the record; may be repeated")
}

func (f *storeFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.sync, "sync", "none", "file: when a put is flushed: none, close, every:N or dsync")
	fs.BoolVar(&f.direct, "direct", false, "file: bypass the page cache (O_DIRECT)")
}

func (f *outputFlags) add(fs *pflag.FlagSet) {
	fs.StringVarP(&f.out, "out", "o", "", "the record (default bench-<command>-<UTC time>-<id>.csv.zst); none: keep none")
	fs.BoolVar(&f.json, "json", false, "print the result as one JSON document")
	fs.StringVar(&f.progress, "progress", "auto", "auto, plain or none")
	fs.DurationVar(&f.interval, "interval", time.Second, "time between progress lines")
}
