package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/entityargs"
)

// likeKafka takes the flags that name the verb in kafka-configs.sh: that of this verb
// does nothing, and that of the other one is a mistake.
func likeKafka(cmd *cobra.Command, own, other string) {
	fs := cmd.Flags()
	fs.BoolFunc(own, "does nothing; kafka-configs.sh has it", func(value string) error {
		if value != "true" {
			return errors.New("the flag has no value")
		}
		return nil
	})
	fs.BoolFunc(other, "", func(string) error { return fmt.Errorf("this is kcfg %s; there is kcfg %s", own, other) })
	for _, name := range []string{own, other} {
		if err := fs.MarkHidden(name); err != nil {
			panic(err) // no such flag
		}
	}
}

// entityFlags defines the flags that name entities, with what the shell may offer.
func entityFlags(cmd *cobra.Command) *entityargs.Flags {
	f := entityargs.AddFlags(cmd.Flags())
	complete(cmd, "entity-type", entityargs.Types()...)
	for _, name := range []string{"entity-name", "user", "client", "client-id", "topic", "broker", "broker-logger", "group", "client-metrics", "ip"} {
		if err := cmd.RegisterFlagCompletionFunc(name, cobra.NoFileCompletions); err != nil {
			panic(err) // no such flag
		}
	}
	return f
}
