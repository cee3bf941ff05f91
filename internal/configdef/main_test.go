package configdef

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newClient makes a client that reaches nothing.
func newClient(tb testing.TB, opts ...kgo.Opt) *kgo.Client {
	tb.Helper()
	cl, err := kgo.NewClient(append(slices.Clone(opts), kgo.Dialer(refuse))...)
	require.NoError(tb, err)
	tb.Cleanup(cl.Close)
	return cl
}
