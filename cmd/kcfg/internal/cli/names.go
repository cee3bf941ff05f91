package cli

import "strings"

// names are the texts of constants, for the shell and for messages.
func names[S ~string](all []S) []string {
	out := make([]string, len(all))
	for i, s := range all {
		out[i] = string(s)
	}
	return out
}

func joined[S ~string](all []S) string { return strings.Join(names(all), ", ") }
