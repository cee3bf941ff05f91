package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// principalFlag defines a flag for principals that may be repeated. It is not split:
// the names of TLS principals have commas.
func principalFlag(fs *pflag.FlagSet, to *[]string, name, whose string) {
	fs.StringArrayVar(to, name, nil, "the `principal` of "+whose+", such as User:alice; may be repeated")
}

// checkPrincipals refuses principals that have no type, as those of a Kafka user's
// other tools have.
func checkPrincipals(flag string, principals []string) error {
	for _, p := range principals {
		kind, who, ok := strings.Cut(p, ":")
		switch {
		case !ok:
			return fmt.Errorf("--%s: the principal %q has no type: write User:%s", flag, p, p)
		case kind == "" || who == "":
			return fmt.Errorf("--%s: the principal %q lacks its type or its name: write User:alice", flag, p)
		}
	}
	return nil
}

// typed returns a command as somebody types it. What no terminal should get is
// escaped, which makes a name another one: better that than obeyed.
func typed(command string) string {
	return strings.ReplaceAll(output.Printable(command), "\n", `\n`)
}
