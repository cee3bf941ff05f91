package fakebroker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/identifier"
	"github.com/kcfg-go/kcfg/internal/wire"
)

// described asks for an entity and returns the code of the answer.
func described(t *testing.T, r *rawClient, components ...wire.DescribeComponent) int16 {
	t.Helper()
	req := wire.NewDescribeClientConfigsRequest(kcfg.DefaultProtocol())
	req.Components = components
	r.send(req, 1)
	resp := wire.NewDescribeClientConfigsResponse(kcfg.DefaultProtocol())
	require.NoError(t, resp.ReadFrom(r.read()[answerHead:]))
	return resp.ErrorCode
}

// altered sets acks for entities and returns the codes of the outcomes.
func altered(t *testing.T, r *rawClient, entities ...kcfg.Entity) (codes []int16) {
	t.Helper()
	req := wire.NewAlterClientConfigsRequest(kcfg.DefaultProtocol())
	for _, e := range entities {
		req.Entries = append(req.Entries, wire.AlterEntry{Entity: e.Parts(), Ops: []kcfg.Op{kcfg.Set("acks", "1")}})
	}
	r.send(req, 1)
	resp := wire.NewAlterClientConfigsResponse(kcfg.DefaultProtocol())
	require.NoError(t, resp.ReadFrom(r.read()[answerHead:]))
	for _, e := range resp.Entries {
		codes = append(codes, e.ErrorCode)
		if e.ErrorMessage != nil {
			assert.Contains(t, *e.ErrorMessage, "length 250, limit 249")
		}
	}
	return codes
}

func TestOurRequestsAreRefusedWithTheCodeOfTheProposal(t *testing.T) {
	t.Parallel()
	at, above := nameOf(identifier.ClientID, 249), nameOf(identifier.ClientID, 250)
	for _, on := range []bool{false, true} {
		c := start(t, IdentifierLimits(on), Policy(&RecordPolicy{}), DynamicConfigs())
		want := int16(0)
		if on {
			want = 901
		}
		r := dial(t, c, 0)
		for _, typ := range []string{kcfg.EntityUser, kcfg.EntityClientID} {
			assert.Zero(t, described(t, r, wire.DescribeComponent{EntityType: typ, Match: &at}))
			assert.Equal(t, want, described(t, r, wire.DescribeComponent{EntityType: typ, Match: &above}), "%s, %t", typ, on)
		}
		assert.Equal(t, []int16{want, 0, want, 0}, altered(t, r,
			kcfg.User(above), kcfg.User(at), kcfg.User("a").Client(above), kcfg.User("a").Client(at)))

		for id, code := range map[string]int16{at: 0, above: want} {
			r := dial(t, c, 0)
			r.write(kmsg.NewRequestFormatter(kmsg.FormatterClientID(id)).AppendRequest(nil, pushOf(t), 1))
			assert.Equal(t, code, pushed(t, r.read()).ErrorCode)
		}
	}
}

func TestOurCodeIsThatOfTheProtocol(t *testing.T) {
	t.Parallel()
	p := kcfg.DefaultProtocol()
	p.ResourceIdentifierTooLargeCode = 950
	c := start(t, IdentifierLimits(true), Protocol(p), DynamicConfigs())
	above := strings.Repeat("a", 250)
	assert.EqualValues(t, 950, described(t, dial(t, c, 0), wire.DescribeComponent{EntityType: kcfg.EntityUser, Match: &above}))
}
