package topicstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"
)

// Right is what a principal may do with a topic.
type Right struct {
	Principal, Topic string
	Operation        kadm.ACLOperation
}

// Rights are those that applications and operators need on the topics, and nothing
// else. Read and Write imply Describe.
func Rights(names Names, applications, operators []string) []Right {
	var out []Right
	for _, p := range applications {
		out = append(out, Right{p, names.Dynamic, kadm.OpRead}, Right{p, names.Clients, kadm.OpWrite})
	}
	for _, p := range operators {
		out = append(out,
			Right{p, names.Dynamic, kadm.OpRead}, Right{p, names.Dynamic, kadm.OpWrite},
			Right{p, names.Clients, kadm.OpRead})
	}
	return out
}

// commands are what an operator types to give the rights with Kafka's own tool.
func commands(rights []Right) []string {
	var out []string
	for _, r := range rights {
		op := map[kadm.ACLOperation]string{kadm.OpRead: "Read", kadm.OpWrite: "Write"}[r.Operation]
		out = append(out, fmt.Sprintf("kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal %s --operation %s --topic %s", Quote(r.Principal), op, Quote(r.Topic)))
	}
	return out
}

// Quote makes one word of a text for a shell.
func Quote(s string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.:/@%+,", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// apply creates the ACLs.
func apply(ctx context.Context, adm *kadm.Client, rights []Right) error {
	for _, r := range rights {
		b := kadm.NewACLs().Topics(r.Topic).ResourcePatternType(kadm.ACLPatternLiteral).Operations(r.Operation).Allow(r.Principal).AllowHosts("*")
		results, err := adm.CreateACLs(ctx, b)
		if err != nil {
			return adminError("CreateAcls", r.Topic, err)
		}
		for _, result := range results {
			if result.Err != nil {
				return adminError("CreateAcls", r.Topic, result.Err)
			}
		}
	}
	return nil
}
