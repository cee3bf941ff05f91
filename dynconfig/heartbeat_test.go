package dynconfig

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
)

func TestAHeartbeatThatFloodsOrMissesRebalancesIsRejected(t *testing.T) {
	s := Static{
		Kinds: kcfg.KindConsumer, Group: true,
		SessionTimeout: time.Minute, HeartbeatInterval: 3 * time.Second, RebalanceTimeout: 60 * time.Second,
	}
	quick := s
	quick.HeartbeatInterval = 20 * time.Millisecond
	for _, tt := range []struct {
		name  string
		s     Static
		value string
		want  Outcome
	}{
		{"a flood", s, "99", Rejected},
		{"the shortest", s, "100", Accepted},
		{"longer than its own, which is shorter", quick, "50", Accepted},
		{"half the rebalance timeout", s, "30000", Accepted},
		{"more than that", s, "30001", Rejected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, verdicts := Validate(tt.s, Rules{}, map[string]string{"heartbeat.interval.ms": tt.value})
			assert.Len(t, verdicts, 1)
			assert.Equal(t, tt.want, verdicts[0].Outcome, "%+v", verdicts)
		})
	}
}
