// Package oplog is the format of the record: one row for every operation, in
// tab-separated text inside independent zstd frames. docs/format.md describes
// it for readers in other languages.
//
// The package knows the columns, their escapes, the comment lines that carry
// metadata, and the framing. It decides nothing about when rows are written
// (package record does) or what they mean (package analyze does).
//
// A [Writer] belongs to one goroutine. A [File] may be read by several.
package oplog
