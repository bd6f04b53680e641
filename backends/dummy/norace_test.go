//go:build !race

package dummy_test

const raceEnabled = false
