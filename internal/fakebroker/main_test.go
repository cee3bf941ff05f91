package fakebroker

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/wire"
	"github.com/kcfg-go/kcfg/sensitive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must happen. It is reached only by
// a test that fails.
const patience = time.Minute

// start returns a cluster that is closed with the test.
func start(t testing.TB, opts ...Option) *Cluster {
	t.Helper()
	c, err := New(opts...)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func testContext(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// entry is a pushed entry with the type STRING.
func entry(key, value string) sensitive.Entry {
	return sensitive.Entry{Key: key, Value: value, Type: sensitive.String}
}

// pushOf returns a push of any entries, those that no client of ours would send
// included.
func pushOf(t testing.TB, entries ...sensitive.Entry) *wire.PushConfigRequest {
	t.Helper()
	body := kbin.AppendCompactArrayLen(nil, len(entries))
	for _, e := range entries {
		body = kbin.AppendCompactString(body, e.Key)
		body = kbin.AppendCompactString(body, e.Value)
		body = kbin.AppendInt8(body, int8(e.Type))
		body = kbin.AppendBool(body, e.IsDefault)
		body = append(body, 0)
	}
	req := wire.NewPushConfigRequest(kcfg.DefaultProtocol())
	require.NoError(t, req.ReadFrom(append(body, 0)))
	return req
}

// versions returns what kgo must be told to send our key.
func versions() *kversion.Versions {
	out := new(kversion.Versions)
	kversion.Stable().EachMaxKeyVersion(func(key, version int16) { out.SetMaxKeyVersion(key, version) })
	out.SetMaxKeyVersion(kcfg.DefaultProtocol().PushConfigKey, 0)
	return out
}

// newClient returns a kgo client that can send our key.
func newClient(t testing.TB, c *Cluster, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(c.Addrs()...),
		kgo.MaxVersions(versions()),
	}, opts...)...)
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return cl
}

// push sends entries as a client of ours would.
func push(ctx context.Context, cl *kgo.Client, node int, entries ...sensitive.Entry) (*wire.PushConfigResponse, error) {
	clean, _ := sensitive.Filter(entries...)
	resp, err := cl.Broker(node).Request(ctx, wire.NewPushConfigRequest(kcfg.DefaultProtocol(), clean...))
	if err != nil {
		return nil, err
	}
	return resp.(*wire.PushConfigResponse), nil
}

// formatted returns a request as a whole frame.
func formatted(req kmsg.Request, correlation int32) []byte {
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID("raw")).AppendRequest(nil, req, correlation)
}
