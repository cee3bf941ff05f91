// Package output prints what the command shows: as a table for people, or as JSON
// or YAML for programs. Nothing that comes from a broker or a topic reaches a
// terminal as it is: what is not printable is escaped in every form.
package output
