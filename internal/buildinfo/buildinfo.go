// Package buildinfo tells which version of the program this is.
package buildinfo

import "runtime/debug"

// Info is the program's version and how it was built.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
}

// Read returns what the linker recorded.
func Read() Info {
	info := Info{Version: "devel"}
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	info.Go = b.GoVersion
	if v := b.Main.Version; v != "" && v != "(devel)" {
		info.Version = v
	}
	for _, s := range b.Settings {
		switch s.Key {
		case "vcs.revision":
			info.Revision = s.Value
		case "vcs.modified":
			info.Modified = s.Value == "true"
		}
	}
	return info
}
