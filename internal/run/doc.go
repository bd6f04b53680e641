// Package run carries out one benchmark: it opens the store, places the
// marker, runs every stage's phases through the engine, keeps the record,
// removes what it wrote, and closes the record. It decides the order of
// things and nothing else; it prints only through the messenger it is given.
//
// It touches nothing in the store outside of its own bench-<run id>/.
package run
