package configdef

import (
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/sensitive"
)

// The dynamic parts of rows of the table.

func dynamicAcks() *Dynamic {
	return &Dynamic{
		Kinds: producer, Listed: true, Request: kmsg.Produce,
		number: acksNumber, want: "none of all, -1, 1 and 0", text: acksText,
		patch: func(p *connpatch.Patches, n int32) { p.Acks = new(int16(n)) },
		seen: func(o connpatch.Observed) *int32 {
			if o.Acks == nil {
				return nil
			}
			return new(int32(*o.Acks))
		},
	}
}

func dynamicSession() *Dynamic {
	d := dynamicInt(consumer, kmsg.JoinGroup, "milliseconds")
	d.Listed = true
	d.patch = func(p *connpatch.Patches, n int32) { p.SessionTimeout = &n }
	d.seen = func(o connpatch.Observed) *int32 { return o.SessionTimeout }
	return d
}

func dynamicHeartbeat() *Dynamic {
	d := dynamicInt(consumer, kmsg.Heartbeat, "milliseconds")
	d.Listed = true
	d.patch = func(p *connpatch.Patches, n int32) { p.HeartbeatInterval = &n }
	d.seen = func(o connpatch.Observed) *int32 { return o.HeartbeatInterval }
	return d
}

func dynamicFetchMaxWait() *Dynamic {
	d := dynamicInt(consumer, kmsg.Fetch, "milliseconds")
	d.patch = func(p *connpatch.Patches, n int32) { p.FetchMaxWait = &n }
	d.seen = func(o connpatch.Observed) *int32 { return o.FetchMaxWait }
	return d
}

func dynamicFetchMinBytes() *Dynamic {
	d := dynamicInt(consumer, kmsg.Fetch, "bytes")
	d.patch = func(p *connpatch.Patches, n int32) { p.FetchMinBytes = &n }
	d.seen = func(o connpatch.Observed) *int32 { return o.FetchMinBytes }
	return d
}

// dynamicFetchBytes is a limit that kgo.Client.UpdateFetchMaxBytes sets.
func dynamicFetchBytes() *Dynamic { return dynamicInt(consumer, kmsg.Fetch, "bytes") }

func dynamicProduceTimeout() *Dynamic {
	d := dynamicInt(producer, kmsg.Produce, "milliseconds")
	d.patch = func(p *connpatch.Patches, n int32) { p.ProduceTimeout = &n }
	d.seen = func(o connpatch.Observed) *int32 { return o.ProduceTimeout }
	return d
}

func dynamicInt(kinds kcfg.Kind, request kmsg.Key, unit string) *Dynamic {
	return &Dynamic{
		Kinds: kinds, Request: request,
		number: aboveZero, want: "no number of " + unit + " above zero",
		text: func(n int32) string { return strconv.Itoa(int(n)) },
	}
}

func acksNumber(value string) (int32, bool) {
	parsed, err := Parse(sensitive.String, value)
	if err != nil {
		return 0, false
	}
	switch parsed {
	case "all", "-1":
		return -1, true
	case "1":
		return 1, true
	case "0":
		return 0, true
	}
	return 0, false
}

func acksText(n int32) string {
	if n == -1 {
		return "all"
	}
	return strconv.Itoa(int(n))
}

func aboveZero(value string) (int32, bool) {
	parsed, err := Parse(sensitive.Int, value)
	n, ok := parsed.(int32)
	return n, ok && err == nil && n > 0
}
