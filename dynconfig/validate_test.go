package dynconfig

import (
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
)

// both is a client that produces without idempotence and consumes in a group,
// with kgo's defaults.
func both() Static {
	return Static{
		ClientID: "orders", Kinds: kcfg.KindProducer | kcfg.KindConsumer, Acks: AllAcks, Group: true,
		SessionTimeout: 45 * time.Second, HeartbeatInterval: 3 * time.Second,
		FetchMaxWait: 5 * time.Second, ProduceTimeout: 10 * time.Second, RequestTimeoutOverhead: 10 * time.Second,
		FetchMinBytes: 1, FetchMaxBytes: 50 << 20, MaxPartitionFetchBytes: 1 << 20, MaxReadBytes: 100 << 20,
	}
}

// with returns both, changed.
func with(change func(*Static)) Static {
	s := both()
	change(&s)
	return s
}

func idempotent(s *Static)    { s.Idempotent = true }
func transactional(s *Static) { s.Transactional, s.Idempotent = true, true }

func everything() Rules { return Rules{AcceptOverrides: Keys()} }

type m = map[string]string

func TestValidate(t *testing.T) {
	for _, tt := range []struct {
		name     string
		s        Static
		r        Rules
		in       m
		accepted m
		outcomes map[string]Outcome // of those that are not accepted
		reason   string             // part of one of the reasons
	}{
		{"nothing", both(), Rules{}, nil, m{}, nil, ""},

		{"acks 0", both(), Rules{}, m{"acks": "0"}, m{"acks": "0"}, nil, ""},
		{"acks 1", both(), Rules{}, m{"acks": "1"}, m{"acks": "1"}, nil, ""},
		{"acks all", both(), Rules{}, m{"acks": "all"}, m{"acks": "all"}, nil, ""},
		{"acks -1 is all", both(), Rules{}, m{"acks": "-1"}, m{"acks": "all"}, nil, ""},
		{"acks with space, as in a static config", both(), Rules{}, m{"acks": " 1 "}, m{"acks": "1"}, nil, ""},
		{"acks 2", both(), Rules{}, m{"acks": "2"}, m{}, map[string]Outcome{"acks": Rejected}, "none of all, -1, 1 and 0"},
		{"acks ALL", both(), Rules{}, m{"acks": "ALL"}, m{}, map[string]Outcome{"acks": Rejected}, ""},
		{"acks empty", both(), Rules{}, m{"acks": ""}, m{}, map[string]Outcome{"acks": Rejected}, ""},
		{"acks +1", both(), Rules{}, m{"acks": "+1"}, m{}, map[string]Outcome{"acks": Rejected}, ""},

		{"idempotent, 0", with(idempotent), Rules{}, m{"acks": "0"}, m{}, map[string]Outcome{"acks": NotApplicable}, "kgo.DisableIdempotentWrite"},
		{"idempotent, 1", with(idempotent), Rules{}, m{"acks": "1"}, m{}, map[string]Outcome{"acks": NotApplicable}, "kgo.DisableIdempotentWrite"},
		{"idempotent, all", with(idempotent), Rules{}, m{"acks": "all"}, m{}, map[string]Outcome{"acks": NoChange}, ""},
		{"idempotent, -1", with(idempotent), Rules{}, m{"acks": "-1"}, m{}, map[string]Outcome{"acks": NoChange}, ""},
		{"idempotent, nonsense", with(idempotent), Rules{}, m{"acks": "x"}, m{}, map[string]Outcome{"acks": Rejected}, ""},
		{"transactional, 1", with(transactional), Rules{}, m{"acks": "1"}, m{}, map[string]Outcome{"acks": NotApplicable}, "transactional"},
		{"transactional, all", with(transactional), Rules{}, m{"acks": "all"}, m{}, map[string]Outcome{"acks": NoChange}, ""},
		{"static acks=0", with(func(s *Static) { s.Acks = NoAck }), Rules{}, m{"acks": "all"}, m{}, map[string]Outcome{"acks": NotApplicable}, "acks=0"},
		{"below MinAcks 1", both(), Rules{MinAcks: LeaderAck}, m{"acks": "0"}, m{}, map[string]Outcome{"acks": Rejected}, "below MinAcks, which is 1"},
		{"at MinAcks 1", both(), Rules{MinAcks: LeaderAck}, m{"acks": "1"}, m{"acks": "1"}, nil, ""},
		{"above MinAcks 1", both(), Rules{MinAcks: LeaderAck}, m{"acks": "all"}, m{"acks": "all"}, nil, ""},
		{"below MinAcks all", both(), Rules{MinAcks: AllAcks}, m{"acks": "1"}, m{}, map[string]Outcome{"acks": Rejected}, "which is all"},
		{"acks of a consumer", with(func(s *Static) { s.Kinds = kcfg.KindConsumer }), Rules{}, m{"acks": "1"}, m{}, map[string]Outcome{"acks": NotApplicable}, "no producer"},

		{"12000/4000", both(), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "4000"}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "4000"}, nil, ""},
		{"heartbeat above session", both(), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "13000"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected, "heartbeat.interval.ms": Rejected}, "13000 ms, would not be below the session timeout, 12000 ms"},
		{"heartbeat equal to session", both(), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "12000"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected, "heartbeat.interval.ms": Rejected}, ""},
		{"heartbeat a millisecond below", both(), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "11999"}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "11999"}, nil, ""},
		{"session alone", both(), Rules{}, m{"session.timeout.ms": "12000"}, m{"session.timeout.ms": "12000"}, nil, ""},
		{"session alone, static heartbeat above it", with(func(s *Static) { s.HeartbeatInterval = 10 * time.Second }), Rules{}, m{"session.timeout.ms": "9000"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected}, "10000 ms"},
		{"heartbeat alone", both(), Rules{}, m{"heartbeat.interval.ms": "44999"}, m{"heartbeat.interval.ms": "44999"}, nil, ""},
		{"heartbeat alone, not below static session", both(), Rules{}, m{"heartbeat.interval.ms": "45000"}, m{}, map[string]Outcome{"heartbeat.interval.ms": Rejected}, "45000 ms"},
		{"session 0", both(), Rules{}, m{"session.timeout.ms": "0"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected}, "above zero"},
		{"session negative", both(), Rules{}, m{"session.timeout.ms": "-1"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected}, ""},
		{"session beyond int32", both(), Rules{}, m{"session.timeout.ms": "2147483648"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected}, ""},
		{"heartbeat 0", both(), Rules{}, m{"heartbeat.interval.ms": "0"}, m{}, map[string]Outcome{"heartbeat.interval.ms": Rejected}, ""},
		{"heartbeat no number", both(), Rules{}, m{"heartbeat.interval.ms": "3s"}, m{}, map[string]Outcome{"heartbeat.interval.ms": Rejected}, ""},
		{"session at the lower bound", both(), Rules{}, m{"session.timeout.ms": "6000"}, m{"session.timeout.ms": "6000"}, nil, ""},
		{"session below the bounds", both(), Rules{}, m{"session.timeout.ms": "5999"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected}, "6000 to 1800000 ms"},
		{"session at the upper bound", both(), Rules{}, m{"session.timeout.ms": "1800000"}, m{"session.timeout.ms": "1800000"}, nil, ""},
		{"session above the bounds", both(), Rules{}, m{"session.timeout.ms": "1800001"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected}, ""},
		{"session in own bounds", both(), Rules{SessionTimeoutBounds: Bounds{time.Second, 5 * time.Second}}, m{"session.timeout.ms": "5000"}, m{"session.timeout.ms": "5000"}, nil, ""},
		{"a wrong session takes its heartbeat along", both(), Rules{}, m{"session.timeout.ms": "1", "heartbeat.interval.ms": "2000"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected, "heartbeat.interval.ms": Rejected}, "goes with session.timeout.ms"},
		{"a wrong heartbeat takes its session along", both(), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "-2"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected, "heartbeat.interval.ms": Rejected}, "goes with heartbeat.interval.ms"},
		{"a refused session takes its heartbeat along", with(func(s *Static) { s.RefusedSessionTimeout = time.Minute }), Rules{}, m{"session.timeout.ms": "60000", "heartbeat.interval.ms": "2000"}, m{}, map[string]Outcome{"session.timeout.ms": Rejected, "heartbeat.interval.ms": Rejected}, "coordinator refused it"},
		{"in no group", with(func(s *Static) { s.Group = false }), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "2000"}, m{}, map[string]Outcome{"session.timeout.ms": NotApplicable, "heartbeat.interval.ms": NotApplicable}, "no group"},
		{"KIP-848", with(func(s *Static) { s.NewGroup = true }), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "2000"}, m{}, map[string]Outcome{"session.timeout.ms": NotApplicable, "heartbeat.interval.ms": NotApplicable}, "group config consumer.session.timeout.ms"},
		{"share group", with(func(s *Static) { s.Kinds = kcfg.KindShare }), Rules{}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "2000"}, m{}, map[string]Outcome{"session.timeout.ms": NotApplicable, "heartbeat.interval.ms": NotApplicable}, "group config share.heartbeat.interval.ms"},
		{"transactional, shorter heartbeat", with(transactional), Rules{}, m{"heartbeat.interval.ms": "1000"}, m{"heartbeat.interval.ms": "1000"}, nil, ""},
		{"transactional, longer heartbeat", with(transactional), Rules{}, m{"heartbeat.interval.ms": "15000", "session.timeout.ms": "60000"}, m{"session.timeout.ms": "60000"}, map[string]Outcome{"heartbeat.interval.ms": NotApplicable}, "transactional id"},

		{"unknown key", both(), Rules{}, m{"linger.ms": "5"}, m{}, map[string]Outcome{"linger.ms": Unsupported}, ""},
		{"a good key next to an unknown one", both(), Rules{}, m{"linger.ms": "5", "acks": "1"}, m{"acks": "1"}, map[string]Outcome{"linger.ms": Unsupported}, ""},
		{"a good key next to a bad one", both(), Rules{}, m{"acks": "7", "session.timeout.ms": "12000"}, m{"session.timeout.ms": "12000"}, map[string]Outcome{"acks": Rejected}, ""},
		{"supported.configs is no override", both(), Rules{}, m{"supported.configs": "{}"}, m{}, nil, ""},
		{"outside AcceptOverrides", both(), Rules{AcceptOverrides: []string{"acks"}}, m{"session.timeout.ms": "12000", "acks": "1"}, m{"acks": "1"}, map[string]Outcome{"session.timeout.ms": Rejected}, "AcceptOverrides"},
		{"none accepted", both(), Rules{AcceptOverrides: []string{}}, m{"acks": "1"}, m{}, map[string]Outcome{"acks": Rejected}, ""},
		{"a heartbeat that is not accepted does not take the session along", both(), Rules{AcceptOverrides: []string{"session.timeout.ms"}}, m{"session.timeout.ms": "12000", "heartbeat.interval.ms": "20000"}, m{"session.timeout.ms": "12000"}, map[string]Outcome{"heartbeat.interval.ms": Rejected}, ""},

		{
			"further keys are off", both(), Rules{},
			m{"fetch.max.wait.ms": "1", "fetch.min.bytes": "1", "request.timeout.ms": "1", "fetch.max.bytes": "1", "max.partition.fetch.bytes": "1"}, m{},
			map[string]Outcome{"fetch.max.wait.ms": Rejected, "fetch.min.bytes": Rejected, "request.timeout.ms": Rejected, "fetch.max.bytes": Rejected, "max.partition.fetch.bytes": Rejected}, "AcceptOverrides",
		},
		{
			"further keys, accepted", both(), everything(),
			m{"fetch.max.wait.ms": "14000", "fetch.min.bytes": "7", "request.timeout.ms": "19000", "fetch.max.bytes": "104857600", "max.partition.fetch.bytes": "104857600"},
			m{"fetch.max.wait.ms": "14000", "fetch.min.bytes": "7", "request.timeout.ms": "19000", "fetch.max.bytes": "104857600", "max.partition.fetch.bytes": "104857600"}, nil, "",
		},
		{
			"further keys, beyond what the client bears", both(), everything(),
			m{"fetch.max.wait.ms": "14001", "fetch.min.bytes": "-1", "request.timeout.ms": "19001", "fetch.max.bytes": "104857601", "max.partition.fetch.bytes": "104857601"}, m{},
			map[string]Outcome{"fetch.max.wait.ms": Rejected, "fetch.min.bytes": Rejected, "request.timeout.ms": Rejected, "fetch.max.bytes": Rejected, "max.partition.fetch.bytes": Rejected}, "waits 15000 ms",
		},
	} {
		accepted, verdicts := Validate(tt.s, tt.r, tt.in)
		assert.Equal(t, tt.accepted, accepted, tt.name)
		others := make(map[string]Outcome)
		var reasons string
		for _, v := range verdicts {
			reasons += v.Reason + "\n"
			if v.Outcome == Accepted {
				assert.Contains(t, accepted, v.Key, tt.name)
				assert.Empty(t, v.Reason, tt.name)
				continue
			}
			assert.NotEmpty(t, v.Reason, "%s: %s", tt.name, v.Key)
			others[v.Key] = v.Outcome
			if v.Outcome == Unsupported {
				assert.Empty(t, v.Value, "%s: its value is nobody's business", tt.name)
			}
		}
		assert.Len(t, others, len(tt.outcomes), tt.name)
		for key, want := range tt.outcomes {
			assert.Equal(t, want, others[key], "%s: %s", tt.name, key)
		}
		assert.Contains(t, reasons, tt.reason, tt.name)
		assert.True(t, slices.IsSortedFunc(verdicts, func(a, b Verdict) int {
			if a.Key < b.Key {
				return -1
			}
			return 1
		}), tt.name)
	}
}

// anyStatic generates clients.
func anyStatic() *rapid.Generator[Static] {
	return rapid.Custom(func(t *rapid.T) Static {
		s := both()
		s.Kinds = rapid.SampledFrom([]kcfg.Kind{kcfg.KindProducer, kcfg.KindConsumer, s.Kinds, kcfg.KindShare, kcfg.KindAdmin}).Draw(t, "kinds")
		s.Acks = rapid.SampledFrom([]Acks{AllAcks, LeaderAck, NoAck}).Draw(t, "acks")
		s.Idempotent, s.Transactional = rapid.Bool().Draw(t, "idempotent"), rapid.Bool().Draw(t, "transactional")
		s.Group, s.NewGroup = rapid.Bool().Draw(t, "group"), rapid.IntRange(0, 9).Draw(t, "new group") == 0
		beat := rapid.Int32Range(1, 50_000).Draw(t, "heartbeat")
		s.HeartbeatInterval = time.Duration(beat) * time.Millisecond
		s.SessionTimeout = time.Duration(beat+rapid.Int32Range(1, 50_000).Draw(t, "session")) * time.Millisecond
		return s
	})
}

func anyRules() *rapid.Generator[Rules] {
	return rapid.Custom(func(t *rapid.T) Rules {
		r := Rules{MinAcks: rapid.SampledFrom([]Acks{AllAcks, LeaderAck, NoAck}).Draw(t, "min")}
		if rapid.Bool().Draw(t, "own keys") {
			r.AcceptOverrides = rapid.SliceOfDistinct(rapid.SampledFrom(Keys()), rapid.ID[string]).Draw(t, "accept")
		}
		if rapid.Bool().Draw(t, "wide bounds") {
			r.SessionTimeoutBounds = Bounds{time.Millisecond, time.Hour}
		}
		return r
	})
}

func anyValue() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"all", "-1", "0", "1", "", "x", "2147483648", "60000"}),
		rapid.Map(rapid.Int32Range(-10, 100_000), func(n int32) string { return strconv.Itoa(int(n)) }),
	)
}

func anyWish() *rapid.Generator[map[string]string] {
	key := rapid.SampledFrom(append(Keys(), "linger.ms", "supported.configs", keySession, keyHeartbeat))
	return rapid.MapOfN(key, anyValue(), 0, 8)
}

func TestNoHeartbeatIsEverAcceptedThatIsNotBelowTheSession(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyStatic().Draw(t, "static")
		accepted, _ := Validate(s, anyRules().Draw(t, "rules"), anyWish().Draw(t, "overrides"))
		require.Less(t, effective(s, accepted, keyHeartbeat), effective(s, accepted, keySession))
	})
}

func TestUnrelatedKeysAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r, all := anyStatic().Draw(t, "static"), anyRules().Draw(t, "rules"), anyWish().Draw(t, "overrides")
		accepted, verdicts := Validate(s, r, all)
		for _, v := range verdicts {
			alone := map[string]string{v.Key: all[v.Key]}
			if v.Key == keySession || v.Key == keyHeartbeat {
				for _, key := range []string{keySession, keyHeartbeat} {
					if value, ok := all[key]; ok {
						alone[key] = value
					}
				}
			}
			own, vs := Validate(s, r, alone)
			require.Contains(t, vs, v)
			require.Equal(t, accepted[v.Key], own[v.Key])
		}
	})
}

func TestValidateIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, r, all := anyStatic().Draw(t, "static"), anyRules().Draw(t, "rules"), anyWish().Draw(t, "overrides")
		before := maps.Clone(all)
		accepted, verdicts := Validate(s, r, all)
		for range 3 { // map order is another one each time
			a, v := Validate(s, r, all)
			require.Equal(t, accepted, a)
			require.Equal(t, verdicts, v)
		}
		require.Equal(t, before, all)
	})
}

func TestAcksAreComparedByWhatTheyPromise(t *testing.T) {
	order := []Acks{NoAck, LeaderAck, AllAcks}
	for i, a := range order {
		for j, b := range order {
			assert.Equal(t, i < j, a.below(b), "%s below %s", a, b)
		}
	}
	assert.Equal(t, "all", AllAcks.String())
	assert.Equal(t, "1", LeaderAck.String())
	assert.Equal(t, "0", NoAck.String())
	assert.Equal(t, "7", Acks(7).String())
}

func TestSupportedKeysAreThoseOfTheKindsThatAreAccepted(t *testing.T) {
	for _, tt := range []struct {
		kinds kcfg.Kind
		r     Rules
		want  []string
	}{
		{kcfg.KindProducer, Rules{}, []string{"acks"}},
		{kcfg.KindConsumer, Rules{}, []string{"heartbeat.interval.ms", "session.timeout.ms"}},
		{kcfg.KindProducer | kcfg.KindConsumer, Rules{}, DefaultKeys()},
		{kcfg.KindAdmin, Rules{}, nil},
		{kcfg.KindShare, Rules{}, nil},
		{kcfg.KindProducer, everything(), []string{"acks", "request.timeout.ms"}},
		{kcfg.KindProducer | kcfg.KindConsumer, everything(), Keys()},
		{kcfg.KindProducer | kcfg.KindConsumer, Rules{AcceptOverrides: []string{"linger.ms", "acks"}}, []string{"acks"}},
		{kcfg.KindProducer, Rules{AcceptOverrides: []string{}}, nil},
	} {
		got := SupportedKeys(tt.kinds, tt.r)
		assert.Equal(t, tt.want, got)
		assert.True(t, slices.IsSorted(got))
	}
}

func TestAnOutcomeIsWrittenAsInTheStatus(t *testing.T) {
	for o, want := range map[Outcome]string{
		Accepted: "accepted", NoChange: "no-change", Rejected: "rejected", NotApplicable: "not-applicable", Unsupported: "unsupported", 9: "unknown",
	} {
		assert.Equal(t, want, o.String())
	}
}
