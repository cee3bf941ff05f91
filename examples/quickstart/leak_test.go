package main

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

// These tests break a promise on purpose: a check that cannot fail proves
// nothing.

func TestARunInWhichASecretLeaksFails(t *testing.T) {
	for name, write := range map[string]func(string) string{
		"plain":  func(s string) string { return s },
		"base64": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("{" + s + "}")) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlan()
			leaked := p.secrets[0].value.Reveal()
			p.hold("orders.region", write(leaked), sensitive.String) // an innocent name, an innocent look

			var out strings.Builder
			err := onEmbedded(withTimeout(t), &out, p)
			require.ErrorContains(t, err, "the broker received the SCRAM password ("+name+")")
			require.ErrorContains(t, err, `the key "orders.region" should not have been pushed`)
			assert.NotContains(t, err.Error(), leaked)
		})
	}
}

func TestARunWhoseMarkerDoesNotArriveFails(t *testing.T) {
	p := newPlan()
	p.hold("db.passwd", p.marker, sensitive.String)
	p.harmless = nil
	var out strings.Builder
	require.ErrorContains(t, onEmbedded(withTimeout(t), &out, p), "the marker is not in the bytes")
}

func TestARunInWhichAHarmlessKeyIsHeldBackFails(t *testing.T) {
	p := newPlan()
	p.harmless = append(p.harmless, sensitive.Entry{Key: "orders.token", Value: "harmless", Type: sensitive.String})
	var out strings.Builder
	require.ErrorContains(t, onEmbedded(withTimeout(t), &out, p), `the key "orders.token" was not pushed`)
}
