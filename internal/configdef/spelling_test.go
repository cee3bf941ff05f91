package configdef

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSpellingFindsAKeyInAnyCase(t *testing.T) {
	for in, want := range map[string]string{
		"client.id": "client.id",
		"Client.ID": "client.id",
		"LINGER.MS": "linger.ms",
		"app.own":   "",
		"":          "",
		"client_id": "",
	} {
		assert.Equal(t, want, Spelling(in), "%q", in)
	}
}
