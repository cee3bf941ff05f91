package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

// member is a client of alice's whose own pair is 45000 and 3000.
func member() kcfg.ClientRecord {
	r := record(
		kcfg.KeyState{Key: "heartbeat.interval.ms", Static: new("3000"), InForce: new("3000"), State: kcfg.OverrideStatic},
		kcfg.KeyState{Key: "session.timeout.ms", Static: new("45000"), InForce: new("45000"), State: kcfg.OverrideStatic},
	)
	r.Kinds, r.Group = kcfg.KindConsumer, "g"
	r.Supported = []string{"heartbeat.interval.ms", "session.timeout.ms"}
	return r
}

func TestProspectsAreJudgedWithAllThatIsSet(t *testing.T) {
	type told struct {
		state  fleet.OutcomeState
		wished string
	}
	for name, tt := range map[string]struct {
		described []kcfg.Described
		change    kcfg.Alteration
		want      map[string]told
	}{
		"fine": {
			change: kcfg.Alter(alice, kcfg.Set("session.timeout.ms", "30000")),
			want:   map[string]told{"session.timeout.ms": {fleet.OutcomeTaken, "30000"}},
		},
		"not with the client's own heartbeat": {
			change: kcfg.Alter(alice, kcfg.Set("heartbeat.interval.ms", "20000"), kcfg.Set("session.timeout.ms", "10000")),
			want:   map[string]told{"session.timeout.ms": {fleet.OutcomeRefused, "10000"}, "heartbeat.interval.ms": {fleet.OutcomeRefused, "20000"}},
		},
		"not with what is set for the user": {
			described: []kcfg.Described{has(alice, "heartbeat.interval.ms", "12000")},
			change:    kcfg.Alter(orders, kcfg.Set("session.timeout.ms", "10000")),
			want:      map[string]told{"session.timeout.ms": {fleet.OutcomeRefused, "10000"}},
		},
		"with what is taken back by the same change": {
			described: []kcfg.Described{has(orders, "heartbeat.interval.ms", "12000")},
			change:    kcfg.Alter(orders, kcfg.Set("session.timeout.ms", "10000"), kcfg.Remove("heartbeat.interval.ms")),
			want:      map[string]told{"session.timeout.ms": {fleet.OutcomeTaken, "10000"}, "heartbeat.interval.ms": {fleet.OutcomeTaken, ""}},
		},
		"another client id's counts for nothing": {
			described: []kcfg.Described{has(alice.Client("other"), "heartbeat.interval.ms", "12000")},
			change:    kcfg.Alter(alice, kcfg.Set("session.timeout.ms", "10000")),
			want:      map[string]told{"session.timeout.ms": {fleet.OutcomeTaken, "10000"}},
		},
		"its own client id's wins": {
			described: []kcfg.Described{has(orders, "session.timeout.ms", "20000")},
			change:    kcfg.Alter(alice, kcfg.Set("session.timeout.ms", "10000")),
			want:      map[string]told{"session.timeout.ms": {fleet.OutcomeOverruled, "20000"}},
		},
		"it is no producer": {
			change: kcfg.Alter(alice, kcfg.Set("acks", "1")),
			want:   map[string]told{"acks": {fleet.OutcomeUnconcerned, "1"}},
		},
		"taken back, and the user's comes": {
			described: []kcfg.Described{has(orders, "session.timeout.ms", "20000"), has(alice, "session.timeout.ms", "30000")},
			change:    kcfg.Alter(orders, kcfg.Remove("session.timeout.ms")),
			want:      map[string]told{"session.timeout.ms": {fleet.OutcomeTaken, "30000"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := make(map[string]told)
			for _, p := range fleet.Prospects([]kcfg.ClientRecord{member()}, tt.described, tt.change) {
				wished := ""
				if p.Wished != nil {
					wished = *p.Wished
				}
				got[p.Key] = told{p.State, wished}
				assert.Equal(t, p.State == fleet.OutcomeTaken || p.State == fleet.OutcomeUnconcerned, p.Reason == "", "%+v", p)
			}
			assert.Equal(t, tt.want, got)
		})
	}
}

func TestProspectsTellWhatTheClientHasNow(t *testing.T) {
	r := member()
	got := fleet.Prospects([]kcfg.ClientRecord{r}, nil, kcfg.Alter(alice, kcfg.Set("session.timeout.ms", "30000")))
	require.Len(t, got, 1)
	assert.Equal(t, fleet.Prospect{
		Instance: r.Instance, Principal: r.Principal, ClientID: r.ClientID, Host: r.Host, Key: "session.timeout.ms",
		Wished: new("30000"), Own: new("45000"), InForce: new("45000"), State: fleet.OutcomeTaken, At: r.At,
	}, got[0])
}

func TestAClientThatTakesNoOverridesRefusesAll(t *testing.T) {
	r := member()
	r.Supported, r.Dynamic = nil, nil
	got := fleet.Prospects([]kcfg.ClientRecord{r}, nil, kcfg.Alter(alice, kcfg.Set("session.timeout.ms", "30000")))
	require.Len(t, got, 1)
	assert.Equal(t, fleet.OutcomeRefused, got[0].State)
}
