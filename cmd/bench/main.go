// Command bench measures object stores: S3 and its relatives, local files.
// It records every operation and reports from the record.
package main

import (
	"os"

	"bench/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}
