// Package units reads and writes the quantities of the command line and of
// the reports: sizes, shares, durations and counts.
//
// Parsing is exact or it is an error that says what was expected; a value is
// never rounded or clipped to make it fit. Formatting comes in two kinds:
// [FormatSize] is exact and can be parsed again, everything else is for human
// eyes. The package holds no state and imports only the standard library; all
// functions may be called from many goroutines.
package units
