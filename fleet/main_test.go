package fleet_test

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// consumer is a client of the client id orders, with what differs.
func consumer(instance string, change func(r *kcfg.ClientRecord)) kcfg.ClientRecord {
	r := kcfg.ClientRecord{
		Version: 1, Instance: instance, Principal: new("alice"), ClientID: "orders", Group: "billing",
		Software: kcfg.Software{Name: "kgo", Version: "v1.22.3"}, Host: "a", Kinds: kcfg.KindConsumer,
		Since: noon, At: noon,
		Configs: []kcfg.ClientConfig{
			{Key: "client.id", Value: "orders", Type: "STRING"},
			{Key: "client.rack", Value: "rack-" + instance, Type: "STRING"},
			{Key: "fetch.min.bytes", Value: "1", Type: "INT", Default: true},
			{Key: "heartbeat.interval.ms", Value: "3000", Type: "INT", Default: true},
			{Key: "request.timeout.ms", Value: "10000", Type: "INT", Default: true},
			{Key: "session.timeout.ms", Value: "45000", Type: "INT", Default: true},
		},
		Dynamic: []kcfg.KeyState{{Key: "session.timeout.ms", InForce: new("45000"), Static: new("45000"), State: kcfg.OverrideStatic}},
	}
	if change != nil {
		change(&r)
	}
	return r
}

func config(r *kcfg.ClientRecord, key, value string) {
	for i := range r.Configs {
		if r.Configs[i].Key == key {
			r.Configs[i].Value, r.Configs[i].Default = value, false
			return
		}
	}
	r.Configs = append(r.Configs, kcfg.ClientConfig{Key: key, Value: value, Type: "STRING"})
}

func override(r *kcfg.ClientRecord, key, value string, state kcfg.OverrideState) {
	s := kcfg.KeyState{Key: key, Wished: &value, Static: new("45000"), InForce: new("45000"), State: state}
	if state == kcfg.OverrideApplied {
		s.InForce = &value
	}
	r.Dynamic = []kcfg.KeyState{s}
}

func instances(records []kcfg.ClientRecord) []string {
	out := []string{}
	for _, r := range records {
		out = append(out, r.Instance)
	}
	return out
}

// many are clients as alike as those of a large fleet.
func many(n int) []kcfg.ClientRecord {
	out := make([]kcfg.ClientRecord, 0, n)
	for i := range n {
		out = append(out, consumer(fmt.Sprintf("%08d", i), func(r *kcfg.ClientRecord) {
			r.ClientID = fmt.Sprintf("service-%d", i%100)
			r.Group = r.ClientID
			for k := range 34 {
				r.Configs = append(r.Configs, kcfg.ClientConfig{Key: fmt.Sprintf("tune.%02d", k), Value: "1", Type: "INT", Default: true})
			}
		}))
	}
	return out
}
