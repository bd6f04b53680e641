// Package rowzstd compresses text rows into zstd frames (RFC 8878) faster
// than a general compressor can, because it knows what the rows look like:
// lines of tab-separated fields, most of them equal to the fields of an
// earlier line of the same worker and operation.
//
// Any bytes may be given and any zstd decoder reads the result; content that
// is not such rows is merely compressed badly or stored. The package does not
// decompress, does not use dictionaries, and searches for no matches except
// against the one earlier line it takes as a model.
//
// An [Encoder] belongs to one goroutine. Different encoders share nothing.
package rowzstd
