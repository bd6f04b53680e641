// Package cli is the command line and the only place where the parts meet: it
// turns flags into plans, names the backends, talks to the user, and maps
// errors to exit codes. One file holds one command.
//
// stdout carries results only. Everything else goes to stderr as "bench: …",
// "bench: warning: …" or "bench: hint: …".
package cli
