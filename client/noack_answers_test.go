package client_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// errDown is what a dial to a port gives on which nobody listens.
var errDown = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

// between stands between a client and its brokers, as the client's dialer. It sees
// what the brokers see and answer.
type between struct {
	// noise is behind the correlation id of an answer to each Produce with acks 0,
	// which no broker here gives. Without it there is none.
	noise []byte
	// answered is called for each Produce that a broker answered.
	answered func(*kmsg.ProduceRequest, *kmsg.ProduceResponse)

	noises  atomic.Int64 // whole answers with noise
	ended   atomic.Int64 // connections on which a Produce came
	cut     atomic.Int64 // those of them with one to be answered
	refused atomic.Int64 // dials
	down    sync.Map     // the addresses on which nobody listens
	passing sync.WaitGroup
}

func (b *between) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if _, down := b.down.Load(address); down {
		b.refused.Add(1)
		return nil, errDown
	}
	var d net.Dialer
	broker, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	theirs, ours, err := connected(ctx)
	if err != nil {
		return nil, err
	}
	p := &passage{between: b, client: ours, broker: broker}
	b.passing.Go(func() { p.end(p.requests()) })
	b.passing.Go(func() { p.end(p.answers()) })
	return theirs, nil
}

// connected returns the two ends of a connection.
func connected(ctx context.Context) (a, b net.Conn, err error) {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = l.Close() }()
	var d net.Dialer
	if a, err = d.DialContext(ctx, "tcp", l.Addr().String()); err != nil {
		return nil, nil, err
	}
	b, err = l.Accept()
	return a, b, err
}

// passage is one connection.
type passage struct {
	*between
	client, broker net.Conn

	mu       sync.Mutex
	waiting  []passing // to be answered, in this order
	ended    bool
	produces bool
}

// passing is a request that is to be answered.
type passing struct {
	corr    []byte
	produce *kmsg.ProduceRequest // nil for others
}

func (r passing) noisy() bool { return r.produce != nil && r.produce.Acks == 0 }

func (p *passage) requests() error {
	for {
		frame, err := frameOf(p.client)
		if err != nil {
			return err
		}
		r := passing{corr: frame[8:12]}
		if binary.BigEndian.Uint16(frame[4:]) == uint16(kmsg.Produce) {
			r.produce = kmsg.NewPtrProduceRequest()
			r.produce.Version = int16(binary.BigEndian.Uint16(frame[6:]))
			body := 14 + int(int16(binary.BigEndian.Uint16(frame[12:]))) // a client id is never null here
			if r.produce.IsFlexible() {
				body++
			}
			if err := r.produce.ReadFrom(frame[body:]); err != nil {
				return err
			}
		}
		p.mu.Lock()
		p.produces = p.produces || r.produce != nil
		if !r.noisy() || p.noise != nil {
			p.waiting = append(p.waiting, r)
		}
		p.mu.Unlock()
		if _, err := p.broker.Write(frame); err != nil {
			return err
		}
		if err := p.pass(nil); err != nil {
			return err
		}
	}
}

func (p *passage) answers() error {
	for {
		frame, err := frameOf(p.broker)
		if err != nil {
			return err
		}
		if err := p.pass(frame); err != nil {
			return err
		}
	}
}

// pass writes an answer, if there is one, and all noise whose turn it is. A client
// that does not read holds up its requests, too, as it does on a broker.
func (p *passage) pass(answer []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if answer != nil {
		r := p.waiting[0]
		if !bytes.Equal(r.corr, answer[4:8]) {
			return io.ErrUnexpectedEOF // the broker is in another order than we
		}
		if err := p.note(r, answer); err != nil {
			return err
		}
		p.waiting = p.waiting[1:]
		if _, err := p.client.Write(answer); err != nil {
			return err
		}
	}
	for len(p.waiting) > 0 && p.waiting[0].noisy() {
		head := append(binary.BigEndian.AppendUint32(nil, uint32(4+len(p.noise))), p.waiting[0].corr...)
		if _, err := (&net.Buffers{head, p.noise}).WriteTo(p.client); err != nil {
			return err
		}
		p.waiting = p.waiting[1:]
		p.noises.Add(1)
	}
	return nil
}

func (p *passage) note(r passing, answer []byte) error {
	if r.produce == nil || p.answered == nil {
		return nil
	}
	resp := kmsg.NewPtrProduceResponse()
	resp.Version = r.produce.Version
	body := answer[8:]
	if resp.IsFlexible() {
		body = body[1:]
	}
	if err := resp.ReadFrom(body); err != nil {
		return err
	}
	p.answered(r.produce, resp)
	return nil
}

// end ends both connections, of which one did or broke a rule.
func (p *passage) end(error) {
	_ = p.client.Close()
	_ = p.broker.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	p.ended = true
	if p.produces {
		p.between.ended.Add(1)
	}
	for _, r := range p.waiting {
		if r.produce != nil && r.produce.Acks != 0 {
			p.cut.Add(1)
			return
		}
	}
}

func frameOf(r io.Reader) ([]byte, error) {
	frame := make([]byte, 4)
	if _, err := io.ReadFull(r, frame); err != nil {
		return nil, err
	}
	frame = append(frame, make([]byte, binary.BigEndian.Uint32(frame))...)
	_, err := io.ReadFull(r, frame[4:])
	return frame, err
}

// Some endpoints answer a Produce with acks 0. Nobody waits for the answers, which
// must not fill the connection, come to somebody else, or be kept.
func TestAnswersThatNobodyWaitsForDoNotStopAProducer(t *testing.T) {
	const answers, size = 64, 1 << 20
	for name, own := range map[string]bool{"acks 0 by an override": false, "acks 0 of the client's own": true} {
		t.Run(name, func(t *testing.T) {
			c := overriding(t)
			b := &between{noise: make([]byte, size-4)}
			t.Cleanup(b.passing.Wait)
			kopts := seeds(c, kgo.DisableIdempotentWrite(), kgo.RecordPartitioner(kgo.ManualPartitioner()))
			if own {
				kopts = append(kopts, kgo.RequiredAcks(kgo.NoAck()))
			}
			cl := newClient(t, kopts, client.Dialer(b.dial))
			one := func() int64 {
				r := &kgo.Record{Topic: "orders", Value: []byte("v")}
				require.NoError(t, cl.ProduceSync(withTimeout(t), r).FirstErr())
				return r.Offset
			}
			set(t, c, kcfg.Set("acks", "0"))
			require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
			one()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range answers {
				one()
			}
			require.NoError(t, c.Wait(withTimeout(t), func() bool { return c.Acks(fakebroker.AnyNode)[0] == answers+1 }))
			eventually(t, func() bool { return b.noises.Load() == answers+1 }, "all of it went out")
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(answers*size/4), "bytes that were allocated meanwhile, freed or not")

			// Answers in between that somebody waits for come to who does.
			for sent := int64(answers + 1); !own && sent < answers+20; sent += 3 {
				set(t, c, kcfg.Set("acks", "1"))
				require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
				require.Equal(t, sent, one(), "all before it came")
				set(t, c, kcfg.Set("acks", "0"))
				require.NoError(t, cl.RefreshConfigs(withTimeout(t)))
				require.Equal(t, []int64{-1, -1}, []int64{one(), one()})
			}
			assert.Zero(t, b.ended.Load(), "no connection broke")
		})
	}
}
