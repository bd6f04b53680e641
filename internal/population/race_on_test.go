//go:build race

package population_test

const raceEnabled = true
