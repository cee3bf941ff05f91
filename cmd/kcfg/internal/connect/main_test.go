package connect

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is in every password of these tests, and in no error.
const secret = "wonder-5ecret"

func flags(t *testing.T, args ...string) *Flags {
	t.Helper()
	fs := pflag.NewFlagSet("kcfg", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	f := AddFlags(fs)
	require.NoError(t, fs.Parse(args))
	return f
}

// file returns the path of a file with this content.
func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// ping goes to the cluster that the flags name and knocks.
func ping(t *testing.T, args ...string) error {
	t.Helper()
	target, err := flags(t, args...).Target(strings.NewReader(secret + "\n"))
	require.NoError(t, err)
	return knock(t, target)
}

func knock(t *testing.T, target Target) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	cl, err := client.New(target.Kgo, target.Options...)
	require.NoError(t, err)
	defer cl.Close()
	return cl.Ping(ctx)
}

// refused returns the error of flags that name no way into a cluster.
func refused(t *testing.T, args ...string) error {
	t.Helper()
	_, err := flags(t, args...).Target(strings.NewReader(""))
	require.Error(t, err)
	require.NotContains(t, err.Error(), secret)
	return err
}

// start starts the reference broker and returns its address.
func start(t *testing.T, opts ...fakebroker.Option) string {
	t.Helper()
	b, err := fakebroker.New(opts...)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b.Addrs()[0]
}

// option returns an option of the client that a target makes.
func option(t *testing.T, target Target, opt any) any {
	t.Helper()
	cl, err := kgo.NewClient(target.Kgo...)
	require.NoError(t, err)
	defer cl.Close()
	return cl.OptValue(opt)
}
