//go:build !race

package population_test

const raceEnabled = false
