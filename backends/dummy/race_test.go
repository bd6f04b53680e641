//go:build race

package dummy_test

// raceEnabled says that pools drop values at random.
const raceEnabled = true
