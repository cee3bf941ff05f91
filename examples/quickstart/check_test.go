package main

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/sensitive"
)

func TestCheckPushNamesEveryDifferenceAndNoValue(t *testing.T) {
	want := map[string]sensitive.Entry{}
	for _, key := range []string{"equal", "missing", "origin", "type", "value"} {
		want[key] = sensitive.Entry{Key: key, Value: "wonder", Type: sensitive.String}
	}
	got := []sensitive.Entry{
		{Key: "equal", Value: "wonder", Type: sensitive.String},
		{Key: "origin", Value: "wonder", Type: sensitive.String, IsDefault: true},
		{Key: "surplus", Value: "wonder", Type: sensitive.String},
		{Key: "type", Value: "wonder", Type: sensitive.List},
		{Key: "value", Value: "wonderland", Type: sensitive.String},
	}
	err := checkPush("orders", want, got)
	require.Error(t, err)
	for _, line := range []string{
		`orders: the key "origin" was pushed with default true instead of false`,
		`orders: the key "surplus" should not have been pushed`,
		`orders: the key "type" was pushed as LIST instead of STRING`,
		`orders: the key "value" was pushed with another value`,
		`orders: the key "missing" was not pushed`,
	} {
		assert.Contains(t, err.Error(), line)
	}
	assert.NotContains(t, err.Error(), `"equal"`)
	assert.NotContains(t, err.Error(), "wonder")
	require.NoError(t, checkPush("orders", want, []sensitive.Entry{want["equal"], want["missing"], want["origin"], want["type"], want["value"]}))
}

// text is a carrier.
type text string

func (t text) Contains(b []byte) bool { return strings.Contains(string(t), string(b)) }

func TestCheckBytesWantsTheMarkerAndNoSecret(t *testing.T) {
	p := newPlan()
	require.NoError(t, checkBytes(text("some "+p.marker+" bytes"), p))
	require.ErrorContains(t, checkBytes(text(""), p), "marker")
	for _, s := range p.secrets {
		err := checkBytes(text(p.marker+" "+s.value.Reveal()), p)
		require.ErrorContains(t, err, "the broker received "+s.name+" (plain)")
		assert.NotContains(t, err.Error(), s.value.Reveal())
		hexed := fmt.Sprintf("%X", s.value.Reveal())
		require.ErrorContains(t, checkBytes(text(p.marker+hexed), p), "the broker received "+s.name+" (upper-case hex)")
	}
}

func TestAFormIsFoundWhereverTheTextStandsInBase64(t *testing.T) {
	const secret = "wonder-\xfb\xff\xfe-land"
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding} {
		for before := range 7 {
			for after := range 4 {
				whole := enc.EncodeToString([]byte(strings.Repeat("x", before) + secret + strings.Repeat("y", after)))
				found := false
				for _, f := range forms(secret) {
					found = found || strings.Contains(whole, f.text)
				}
				assert.True(t, found, "%d before, %d after: %s", before, after, whole)
			}
		}
	}
}

func TestEverySecretOfAPlanIsOfItsOwn(t *testing.T) {
	seen := make(map[string]bool)
	for range 2 {
		p := newPlan()
		assert.False(t, seen[p.marker])
		seen[p.marker] = true
		for _, s := range p.secrets {
			assert.False(t, seen[s.value.Reveal()], s.name)
			seen[s.value.Reveal()] = true
		}
	}
}

// all returns a tally of all records in one partition.
func all() tally {
	t := newTally()
	for i := range records {
		t.add(&kgo.Record{Key: fmt.Appendf(nil, "%04d", i), Offset: int64(i)})
	}
	t.end[0] = records
	return t
}

func TestATallyIsRightOnlyIfEveryRecordCameOnce(t *testing.T) {
	right := all()
	assert.True(t, right.complete())
	require.NoError(t, right.check())

	missing := all()
	delete(missing.times, "0007")
	assert.False(t, missing.complete())
	require.ErrorContains(t, missing.check(), "record 0007 did not come back")

	twice := all()
	twice.end[0]++
	assert.False(t, twice.complete(), "what is behind the last record has to be seen")
	twice.add(&kgo.Record{Key: []byte("0007"), Offset: records})
	assert.True(t, twice.complete())
	require.ErrorContains(t, twice.check(), "record 0007 came back 2 times")

	foreign := all()
	foreign.add(&kgo.Record{Key: []byte("foreign"), Offset: records})
	require.ErrorContains(t, foreign.check(), "1 records came that nobody produced")
}
