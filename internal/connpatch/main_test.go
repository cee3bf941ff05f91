package connpatch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
	"go.uber.org/goleak"

	"github.com/kcfg-go/kcfg"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// encode returns the frame of a request as kgo writes it.
func encode(req kmsg.Request, corr int32, clientID *string) []byte {
	if clientID == nil {
		return kmsg.NewRequestFormatter().AppendRequest(nil, req, corr)
	}
	return kmsg.NewRequestFormatter(kmsg.FormatterClientID(*clientID)).AppendRequest(nil, req, corr)
}

// encodeKey returns the frame of a request with nothing in it.
func encodeKey(key, version int16, corr int32) []byte {
	req := kmsg.RequestForKey(key)
	req.SetVersion(version)
	return encode(req, corr, new("test"))
}

// encodeOurs returns the frame of a request that kmsg does not know, with a
// flexible header and no body.
func encodeOurs(key int16, corr int32) []byte {
	b := binary.BigEndian.AppendUint32(nil, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(key))
	b = binary.BigEndian.AppendUint16(b, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(corr))
	b = append(b, 0, 4, 't', 'e', 's', 't', 0, 0)
	return sized(b)
}

// encodeAny is encodeKey, or encodeOurs for keys that kmsg does not know.
func encodeAny(key int16, corr int32) []byte {
	if kmsg.RequestForKey(key) == nil {
		return encodeOurs(key, corr)
	}
	return encodeKey(key, 0, corr)
}

// sized sets the size of a frame.
func sized(frame []byte) []byte {
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-4))
	return frame
}

// token returns n raw bytes with a size before them, as kgo writes what an old
// SASL exchange consists of.
func token(n int) []byte {
	return sized(append(make([]byte, 4), bytes.Repeat([]byte{'x'}, n)...))
}

// answer returns a response frame.
func answer(corr int32, body ...byte) []byte {
	b := binary.BigEndian.AppendUint32(make([]byte, 4), uint32(corr))
	return sized(append(b, body...))
}

// apiVersions returns the body of an ApiVersions answer.
func apiVersions(version int16, edit func(*kmsg.ApiVersionsResponse)) []byte {
	resp := kmsg.NewPtrApiVersionsResponse()
	resp.Version = version
	if edit != nil {
		edit(resp)
	}
	return resp.AppendTo(nil)
}

// proof edits an answer so that it proves the RPCs with the given keys.
func proof(p kcfg.Protocol, keys ...int16) func(*kmsg.ApiVersionsResponse) {
	return func(r *kmsg.ApiVersionsResponse) {
		for _, k := range keys {
			r.ApiKeys = append(r.ApiKeys, kmsg.ApiVersionsResponseApiKey{ApiKey: k})
		}
		f := kmsg.NewApiVersionsResponseSupportedFeature()
		f.Name, f.MinVersion, f.MaxVersion = p.Feature, p.FeatureLevel, p.FeatureLevel
		r.SupportedFeatures = append(r.SupportedFeatures, f)
	}
}

// errBlocked is what a script returns where a real connection would block.
var errBlocked = errors.New("nothing more to read for now")

// step is one Read of a script: bytes, or an error if there are none.
type step struct {
	b   []byte
	err error
}

// script is a connection whose reads are given and whose writes are kept. What
// it does not have panics.
type script struct {
	net.Conn
	steps  []step
	wrote  bytes.Buffer
	writes int
	reads  [][]byte // the slices that Read was given
	closes atomic.Int32

	blocked  bool // a Read was made that would block
	together bool // the last bytes and the error behind them come in one Read
}

func (s *script) Read(p []byte) (int, error) {
	s.reads = append(s.reads, p)
	if len(s.steps) == 0 || s.steps[0].err == errBlocked { //nolint:errorlint // as it was given
		s.blocked = true
		return 0, errBlocked
	}
	next := &s.steps[0]
	n := copy(p, next.b)
	next.b = next.b[n:]
	if len(next.b) > 0 {
		return n, nil
	}
	err := next.err
	s.steps = s.steps[1:]
	if s.together && n > 0 && len(s.steps) > 0 && s.steps[0].err != nil {
		err = s.steps[0].err
		s.steps = s.steps[1:]
	}
	return n, err
}

func (s *script) Write(p []byte) (int, error) {
	s.writes++
	return s.wrote.Write(p)
}

func (s *script) Close() error {
	s.closes.Add(1)
	return nil
}

// whole makes a script of frames, one step each, and the end of the connection.
func whole(frames ...[]byte) *script {
	s := new(script)
	for _, f := range frames {
		s.steps = append(s.steps, step{b: f})
	}
	s.steps = append(s.steps, step{err: io.EOF})
	return s
}

// testManager returns a manager whose connections have inner below them.
func testManager(p kcfg.Protocol, inner net.Conn) *Manager {
	return NewManager(p, func(context.Context, string, string) (net.Conn, error) { return inner, nil }, nil)
}

// connect returns a connection of a manager of its own.
func connect(tb testing.TB, inner net.Conn) *Conn {
	tb.Helper()
	return dial(tb, testManager(kcfg.DefaultProtocol(), inner))
}

func dial(tb testing.TB, m *Manager) *Conn {
	tb.Helper()
	conn, err := m.Dial(tb.Context(), "tcp", "broker:9092")
	require.NoError(tb, err)
	c, ok := conn.(*Conn)
	require.True(tb, ok)
	return c
}

// waitFor waits for a condition that nothing announces.
func waitFor(tb testing.TB, what string, cond func() bool) {
	tb.Helper()
	require.Eventually(tb, cond, 30*time.Second, time.Millisecond, what)
}
