package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// result is what a run of the command left behind.
type result struct {
	code     int
	out, err string
}

func run(t *testing.T, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var out, err bytes.Buffer
	code := Run(ctx, Streams{In: bytes.NewReader(nil), Out: &out, Err: &err}, args)
	return result{code, out.String(), err.String()}
}

// ok runs the command and returns what it printed.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	r := run(t, args...)
	require.Equal(t, codeOK, r.code, "%s%s", r.out, r.err)
	require.Empty(t, r.err)
	return r.out
}

// fileWith returns the path of a file with this content.
func fileWith(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// broker starts the reference broker, and returns it with the flags that name it.
func broker(t *testing.T, opts ...fakebroker.Option) (*fakebroker.Cluster, []string) {
	t.Helper()
	c, err := fakebroker.New(opts...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c, []string{"--bootstrap-server", c.Addrs()[0]}
}

func TestMistakesInArgumentsExitWithOne(t *testing.T) {
	for _, args := range [][]string{
		{"nosuchverb"}, {"version", "extra"}, {"--nosuchflag"}, {"version", "--output", "xml"}, {"version", "--transport", "pigeon"},
		{"version", "--color", "blue"}, {"version", "--timeout", "0s"}, {"version", "--timeout", "soon"},
		{"version", "--dynamic-topic", ""}, {"version", "--clients-topic="},
	} {
		r := run(t, args...)
		assert.Equal(t, codeUsage, r.code, "%q", args)
		assert.Contains(t, r.err, "kcfg: ", "%q", args)
		assert.Empty(t, r.out, "%q", args)
	}
}

func TestCodesSayWhatBecameOfIt(t *testing.T) {
	refused := cfgerrors.FromCode(31, "") // CLUSTER_AUTHORIZATION_FAILED
	for _, tt := range []struct {
		err  error
		want int
	}{
		{nil, codeOK},
		{errors.New("x"), codeFailed},
		{usage(errors.New("x")), codeUsage},
		{refused, codeNotAllowed},
		{partly(refused), codeFailed},
		{context.DeadlineExceeded, codeTimedOut},
		{partly(context.DeadlineExceeded), codeFailed},
		{context.Canceled, codeFailed},
		{kerr.TopicAuthorizationFailed, codeNotAllowed}, // as kadm returns it
		{kerr.SaslAuthenticationFailed, codeNotAllowed},
		{kerr.UnknownTopicOrPartition, codeFailed},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, codeTimedOut},
	} {
		assert.Equal(t, tt.want, code(tt.err), "%v", tt.err)
	}
}

func TestVersionTellsWhatItIsMadeOf(t *testing.T) {
	assert.Contains(t, ok(t, "version"), "kcfg ")
	assert.Contains(t, ok(t, "version", "-o", "json"), `"go": "go1.`)
}

// The time that is left for what a verb does began before it was connected.
func TestTheTimeoutIsForAllThatAVerbDoes(t *testing.T) {
	c, flags := broker(t)
	a := &app{streams: Streams{In: bytes.NewReader(nil), Out: io.Discard, Err: io.Discard}}
	root := a.root()
	root.SetArgs(append(flags, "version"))
	require.NoError(t, root.ExecuteContext(t.Context()))

	hold := make(chan struct{})
	c.Script(fakebroker.Fault{Keys: []int16{int16(kmsg.ApiVersions)}, Hold: hold})
	var connected time.Time
	done := make(chan error, 1)
	go func() {
		done <- a.connected(t.Context(), "testing", func(ctx context.Context, _ session) error {
			deadline, _ := ctx.Deadline()
			assert.True(t, deadline.Before(connected.Add(a.timeout)), "%v", deadline)
			return nil
		})
	}()
	require.NoError(t, c.Wait(t.Context(), func() bool { return c.Count(fakebroker.AnyNode, int16(kmsg.ApiVersions)) > 0 }))
	connected = time.Now()
	close(hold)
	require.NoError(t, <-done)
}
