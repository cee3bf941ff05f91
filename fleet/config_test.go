package fleet_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg/fleet"
)

func TestATextIsCutToSoManyBytes(t *testing.T) {
	for _, tt := range []struct {
		text  string
		bytes int
		want  string
	}{
		{"orders", 6, "orders"}, {"orders", 5, "or..."}, {"orders", 3, "..."}, {"orders", 2, ".."}, {"orders", 0, ""}, {"orders", -1, ""}, {"", 0, ""},
		{"a\u20acuros", 6, "a..."}, {"a\u20acuros", 7, "a\u20ac..."}, {"\x80\x80\x80\x80", 3, "..."},
	} {
		assert.Equal(t, tt.want, fleet.Cut(tt.text, tt.bytes), "%q, %d", tt.text, tt.bytes)
	}
}
