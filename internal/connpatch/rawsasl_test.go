package connpatch

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/kcfg-go/kcfg"
)

// exchange is a SASL mechanism whose tokens have given sizes. The last one has
// no answer, the others have answers of the sizes in back.
type exchange struct {
	tokens []int
	back   []int
}

func (exchange) Name() string { return "TEST" }

func (e exchange) Authenticate(context.Context, string) (sasl.Session, []byte, error) {
	return &session{e, 0}, make([]byte, e.tokens[0]), nil
}

type session struct {
	exchange
	step int
}

func (s *session) Challenge(b []byte) (bool, []byte, error) {
	if len(b) != s.back[s.step] {
		return false, nil, errors.New("a token of another size")
	}
	s.step++
	return s.step == len(s.back), make([]byte, s.tokens[s.step]), nil
}

// oldBroker is as much of a broker before Kafka 1.0 as a client needs to list
// the brokers: SaslHandshake 0, and then raw tokens.
type oldBroker struct {
	net.Listener
	exchange
}

func startOldBroker(t *testing.T, e exchange) *oldBroker {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := &oldBroker{l, e}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				if err := b.serve(conn); err != nil && !errors.Is(err, io.EOF) {
					t.Log(err)
				}
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait() // the client is closed by now
	})
	return b
}

func readFrame(r io.Reader) ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return nil, err
	}
	b := make([]byte, binary.BigEndian.Uint32(size[:]))
	_, err := io.ReadFull(r, b)
	return b, err
}

func (b *oldBroker) serve(conn net.Conn) error {
	for {
		frame, err := readFrame(conn)
		if err != nil {
			return err
		}
		r := kbin.Reader{Src: frame}
		key, version, corr := r.Int16(), r.Int16(), r.Int32()
		resp := b.respond(key, version)
		out := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(corr))
		if _, err := conn.Write(sized(resp.AppendTo(out))); err != nil {
			return err
		}
		if key != keySaslHandshk {
			continue
		}
		for i, want := range b.tokens {
			got, err := readFrame(conn)
			if err != nil {
				return err
			}
			if len(got) != want {
				return errors.New("a token of another size")
			}
			if i == len(b.back) {
				break
			}
			if _, err := conn.Write(token(b.back[i])); err != nil {
				return err
			}
		}
	}
}

func (b *oldBroker) respond(key, version int16) kmsg.Response {
	switch key {
	case keySaslHandshk:
		return kmsg.NewPtrSASLHandshakeResponse()
	case keyAPIVersions:
		resp := kmsg.NewPtrApiVersionsResponse()
		all(apiKey(0, 0, 8), apiKey(3, 0, 5), apiKey(keySaslHandshk, 0, 0), apiKey(keyAPIVersions, 0, 0))(resp)
		if version > 0 {
			resp.ApiKeys, resp.ErrorCode = nil, kerr.UnsupportedVersion.Code
		}
		return resp
	default:
		addr := b.Addr().(*net.TCPAddr)
		resp := kmsg.NewPtrMetadataResponse()
		resp.Version = version
		resp.Brokers = append(resp.Brokers, kmsg.MetadataResponseBroker{NodeID: 1, Host: addr.IP.String(), Port: int32(addr.Port)})
		return resp
	}
}

func TestRawTokensOfOldSASLPass(t *testing.T) {
	for name, e := range map[string]exchange{
		"one token":  {tokens: []int{30, 3}, back: []int{0}},
		"many sizes": {tokens: []int{1, 0, 3, 3000, 30, 300}, back: []int{20, 0, 3, 3000, 4}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := timeLimit(t)
			b := startOldBroker(t, e)
			w := &watch{m: NewManager(kcfg.DefaultProtocol(), plaintext(), nil)}
			cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr().String()), kgo.Dialer(w.m.Dial), kgo.WithHooks(w), kgo.SASL(e))
			require.NoError(t, err)
			defer cl.Close()
			require.NoError(t, cl.Ping(ctx))
			for range 3 {
				_, err := cl.Broker(1).Request(ctx, kmsg.NewPtrMetadataRequest())
				require.NoError(t, err)
			}
			got := w.m.Counts()
			connects := uint64(w.connects.Load())
			assert.Equal(t, connects*uint64(len(e.tokens)), got.Strange)
			assert.Zero(t, got.Unmatched)
			assert.Zero(t, got.Opaque)
			// ApiVersions twice and SaslHandshake on every connection.
			assert.GreaterOrEqual(t, got.Requests, 3*connects+4)
			cl.Close()
			waitFor(t, "connections are left open", func() bool { return w.m.Counts().Open == 0 })
		})
	}
}
