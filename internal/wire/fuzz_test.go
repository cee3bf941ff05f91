package wire

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzPushConfigRequest(f *testing.F) {
	for name := range goldenRequests() {
		f.Add(golden(f, name))
	}
	for _, body := range expensiveBodies(50) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := slices.Clone(body)
		r := newRequest()
		err := r.ReadFrom(body)
		require.Equal(t, before, body, "the body changed")
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "wire: PushConfigRequest: "), "%v", err)
			require.Equal(t, newRequest(), r)
			return
		}
		require.LessOrEqual(t, r.ConfigsSize(), len(body)-1)

		again := newRequest()
		encoded := r.AppendTo(nil)
		require.Equal(t, encoded, r.AppendTo(nil))
		// Without tags, and with lengths as short as they can be.
		require.LessOrEqual(t, len(encoded), len(body))
		require.NoError(t, again.ReadFrom(encoded))
		require.True(t, slices.Equal(r.Configs(), again.Configs()))
		require.Equal(t, len(encoded)-1, again.ConfigsSize())
		require.Equal(t, encoded, again.AppendTo(nil))
	})
}

func FuzzPushConfigResponse(f *testing.F) {
	for name := range goldenResponses() {
		f.Add(golden(f, name))
	}
	for _, body := range expensiveBodies(50) {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		before := slices.Clone(body)
		r := newResponse()
		err := r.ReadFrom(body)
		require.Equal(t, before, body, "the body changed")
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "wire: PushConfigResponse: "), "%v", err)
			require.Equal(t, newResponse(), r)
			return
		}
		again := newResponse()
		encoded := r.AppendTo(nil)
		require.Equal(t, encoded, r.AppendTo(nil))
		require.LessOrEqual(t, len(encoded), len(body))
		require.NoError(t, again.ReadFrom(encoded))
		require.Equal(t, r, again)
	})
}
