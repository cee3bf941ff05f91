package integration_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

func TestUserMayOnlyWhatAnACLAllows(t *testing.T) {
	c := kafka(t)
	topic, principal := newTopic(t, c, 1, 3), "User:"+kafkatest.Alice
	alice := bare(t, c.SASLAddrs(), kgo.SASL(scramAs(kafkatest.Alice, kafkatest.Password(kafkatest.Alice))))
	err := alice.ProduceSync(withTimeout(t), &kgo.Record{Topic: topic}).FirstErr()
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed)
	decision := kafkatest.Decision{
		Principal: principal, Operation: "DESCRIBE", Resource: "Topic:LITERAL:" + topic, Request: "Metadata",
	}
	require.Eventually(t, func() bool { return decided(t, c, decision) }, patience, poll)

	acl := kadm.NewACLs().Topics(topic).ResourcePatternType(kadm.ACLPatternLiteral).
		Operations(kadm.OpWrite).Allow(principal).AllowHosts("*")
	adm := admin(t, c)
	created, err := adm.CreateACLs(withTimeout(t), acl)
	require.NoError(t, err)
	require.Len(t, created, 1)
	require.NoError(t, created[0].Err)
	require.Eventually(t, func() bool { // the nodes learn of it one by one
		return alice.ProduceSync(withTimeout(t), &kgo.Record{Topic: topic}).FirstErr() == nil
	}, patience, poll)
	decision.Allowed, decision.Operation, decision.Request = true, "WRITE", "Produce"
	require.Eventually(t, func() bool { return decided(t, c, decision) }, patience, poll)
}

// decided reports whether some node decided like that, by whatever rule.
func decided(t *testing.T, c *kafkatest.Cluster, want kafkatest.Decision) bool {
	t.Helper()
	decisions, err := c.Decisions(want.Principal)
	require.NoError(t, err)
	return slices.ContainsFunc(decisions, func(d kafkatest.Decision) bool {
		d.Node, d.Rule = 0, ""
		return d == want
	})
}
