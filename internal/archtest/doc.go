// Package archtest holds the tests that keep the parts of this module apart:
// who may import what, followed through every dependency, and that one loop
// alone stamps operations. It has no code of its own.
package archtest
