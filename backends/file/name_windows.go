package file

import "strings"

// checkName refuses what Windows does not take literally.
func checkName(name string) error {
	if strings.ContainsAny(name, `\:*?"<>|`) {
		return badKey(`holds one of \ : * ? " < > |`)
	}
	return nil
}
