// Package report turns an analysis into text for people and JSON for
// programs. It computes nothing but units. Both outputs depend on the analysis
// alone, so the same record always gives the same bytes.
//
// Keys, hosts and error texts come from outside: control characters in them
// never reach the reader's terminal.
package report
