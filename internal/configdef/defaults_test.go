package configdef

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
)

func TestDefaultsAreThoseOfTheKind(t *testing.T) {
	value := func(kind kcfg.Kind, key string) string {
		for _, e := range Defaults(kind) {
			if e.Key == key {
				return e.Value
			}
		}
		return ""
	}
	assert.Equal(t, "45000", value(consumer, "session.timeout.ms"))
	assert.Equal(t, "true", value(consumer, "enable.auto.commit"), "of a client in a group")
	assert.Equal(t, "5000", value(consumer, "fetch.max.wait.ms"))
	assert.Equal(t, "500", value(share, "fetch.max.wait.ms"))
	assert.Equal(t, "all", value(producer, "acks"))
	assert.Equal(t, "20000", value(producer|consumer, "request.timeout.ms"))
	assert.Equal(t, "10000", value(consumer, "request.timeout.ms"))
	assert.Empty(t, value(consumer, "acks"))
	assert.Empty(t, value(consumer, "group.id"), "it has none")
	assert.Empty(t, Defaults(0))
}
