package topicstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/kcfg-go/kcfg"
)

// right is what a principal may do with a topic.
type right struct {
	principal, topic string
	op               kadm.ACLOperation
}

// rights are those that the principals of a plan need, and nothing else. Read and
// Write imply Describe.
func (s *Store) rights(plan kcfg.TopicSetup) []right {
	var out []right
	for _, p := range plan.Applications {
		out = append(out, right{p, s.cfg.Names.Dynamic, kadm.OpRead}, right{p, s.cfg.Names.Clients, kadm.OpWrite})
	}
	for _, p := range plan.Operators {
		out = append(out,
			right{p, s.cfg.Names.Dynamic, kadm.OpRead}, right{p, s.cfg.Names.Dynamic, kadm.OpWrite},
			right{p, s.cfg.Names.Clients, kadm.OpRead})
	}
	return out
}

// commands are what an operator types to give the rights with Kafka's own tool.
func commands(rights []right) []string {
	var out []string
	for _, r := range rights {
		op := map[kadm.ACLOperation]string{kadm.OpRead: "Read", kadm.OpWrite: "Write"}[r.op]
		out = append(out, fmt.Sprintf("kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal %s --operation %s --topic %s", Quote(r.principal), op, Quote(r.topic)))
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
func apply(ctx context.Context, adm *kadm.Client, rights []right) error {
	for _, r := range rights {
		b := kadm.NewACLs().Topics(r.topic).ResourcePatternType(kadm.ACLPatternLiteral).Operations(r.op).Allow(r.principal).AllowHosts("*")
		results, err := adm.CreateACLs(ctx, b)
		if err != nil {
			return adminError("CreateAcls", r.topic, err)
		}
		for _, result := range results {
			if result.Err != nil {
				return adminError("CreateAcls", r.topic, result.Err)
			}
		}
	}
	return nil
}
