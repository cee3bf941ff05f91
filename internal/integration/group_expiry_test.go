package integration_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

// The coordinator's own clock tells which session timeout it goes by: all members
// fall silent at once, and it shows who is expelled, and who outlives whom. Two
// bare members, one with a short and one with a long session, are the measure.
func TestTheCoordinatorExpelsByTheOverriddenSessionTimeout(t *testing.T) {
	const short, medium, long = 3 * time.Second, 9 * time.Second, 10 * time.Minute
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	g := newGroup(t, c, 4)
	var all link
	t.Cleanup(all.mend) // so that the members can leave
	opts := append(s.where(), client.PollInterval(time.Hour), client.SessionTimeoutBounds(time.Second, time.Hour),
		client.Dialer(all.dial), client.Principal("ANONYMOUS"))
	member := func(what string, session time.Duration, override string) *groupMember {
		kopts := []kgo.Opt{kgo.SessionTimeout(session), kgo.RebalanceTimeout(long), kgo.ClientID(g.id + what)}
		if override == "" {
			return g.joinBare(t, append(kopts, kgo.Dialer(all.dial))...)
		}
		s.set(t, anonymous().Client(g.id+what), kcfg.Set("session.timeout.ms", override))
		return g.join(t, kopts, opts...)
	}
	shortened := member("shortened", long, "3000")
	lengthened := member("lengthened", short, "600000")
	mediumBare, longBare := member("medium", medium, ""), member("long", long, "")
	g.steady(t)
	for _, m := range g.members[:2] {
		assert.Equal(t, kcfg.OverrideApplied, state(t, m.ours, "session.timeout.ms").State)
	}
	ids := func(members ...*groupMember) (out []string) {
		for _, m := range members {
			id, _ := m.GroupMetadata()
			out = append(out, id)
		}
		slices.Sort(out)
		return out
	}
	everybody, those := ids(g.members...), ids(lengthened, longBare)
	expelled := ids(shortened, mediumBare)
	require.Equal(t, everybody, g.memberIDs(t))

	all.sever()
	var left []string
	eventually(t, func() bool {
		left = g.memberIDs(t)
		return !slices.ContainsFunc(expelled, func(id string) bool { return slices.Contains(left, id) })
	}, "expelled by the override, and after three times the short session")
	assert.Equal(t, those, left, "kept by the override")
}
