package transport

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/wire"
	"github.com/kcfg-go/kcfg/sensitive"
)

// ErrNoBroker is returned when a broker supports the RPC, but none can be asked
// now without standing in the application's way. It is worth another try.
var ErrNoBroker = errors.New("transport: no broker is free for the request")

// ErrBadAnswer is returned for an answer that could be decoded and makes no sense
// all the same: nothing in it can be believed.
var ErrBadAnswer = errors.New("transport: the broker's answer makes no sense")

// maxThrottle bounds how long a broker may make us wait. What is longer is
// garbage, or as good as an order to stay silent.
const maxThrottle = time.Hour

// Router finds the node to which a request with the given key goes best. The
// nodes to avoid are taken only if there is no other.
type Router interface {
	Target(key int16, avoid ...int32) (node int32, ok bool)
	// Supports reports whether a node meant the RPC when it was last connected
	// to, and Supported whether any did.
	Supports(node int32, key int16) bool
	Supported(key int16) bool
}

// Sender sends a request to one node and returns its response, without retries.
type Sender func(ctx context.Context, node int32, req kmsg.Request) (kmsg.Response, error)

// RPC is the transport over the native RPCs.
type RPC struct {
	proto kcfg.Protocol
	route Router
	send  Sender

	mu    sync.Mutex
	until time.Time // no request before that

	slot chan struct{} // full while a request is under way
}

// NewRPC returns the transport over the native RPCs.
func NewRPC(p kcfg.Protocol, route Router, send Sender) *RPC {
	return &RPC{proto: p, route: route, send: send, slot: make(chan struct{}, 1)}
}

// slotWait is how long a request waits for another one of this client to be
// answered. Two at a time would compete for the one connection on which neither
// stands in the application's way.
const slotWait = time.Second

// enter waits until no other request of ours is under way, a while at most.
func (t *RPC) enter(ctx context.Context) (leave func()) {
	timer := time.NewTimer(slotWait)
	defer timer.Stop()
	select {
	case t.slot <- struct{}{}:
		return func() { <-t.slot }
	case <-timer.C:
	case <-ctx.Done():
	}
	return func() {}
}

// Pushed says where a request went. Node is meaningful only if Sent.
type Pushed struct {
	Node int32
	Sent bool
}

// Push sends the configurations of this client to one broker and returns its
// answer as an error: nil, ErrNoBroker, cfgerrors.ErrUnsupported, what
// cfgerrors.FromCode makes of a code, or what kgo returned. It waits as long as
// an earlier answer told us to, before it sends.
func (t *RPC) Push(ctx context.Context, configs []sensitive.Clean, avoid ...int32) (Pushed, error) {
	resp, to, err := ask[*wire.PushConfigResponse](ctx, t, "PushConfig", wire.NewPushConfigRequest(t.proto, configs...), avoid...)
	if err != nil {
		return to, err
	}
	t.throttle(resp.ThrottleMillis)
	return to, t.answer(to.Node, resp, configs)
}

// ask sends a request to the best node, as soon as no earlier answer forbids it.
// It returns errors as Push does.
func ask[R kmsg.Response](ctx context.Context, t *RPC, name string, req kmsg.Request, avoid ...int32) (resp R, to Pushed, err error) {
	if err := t.throttled(ctx); err != nil {
		return resp, to, err
	}
	defer t.enter(ctx)()
	node, ok := t.route.Target(req.Key(), avoid...)
	if !ok {
		return resp, to, t.noBroker(req.Key())
	}
	to = Pushed{Node: node, Sent: true}
	kresp, err := t.send(ctx, node, req)
	if err != nil {
		if !t.route.Supports(node, req.Key()) {
			// The broker was replaced by one that does not mean the RPC. kgo
			// saw that on the connection that it made for the request, which
			// it then did not send.
			return resp, Pushed{}, t.noBroker(req.Key())
		}
		return resp, to, fmt.Errorf("%s to broker %s: %w", name, nodeName(node), err)
	}
	resp, ok = kresp.(R)
	if !ok {
		return resp, to, fmt.Errorf("%s to broker %s: the response is a %T: %w", name, nodeName(node), kresp, ErrBadAnswer)
	}
	return resp, to, nil
}

// noBroker says why there is nobody to send to.
func (t *RPC) noBroker(key int16) error {
	if t.route.Supported(key) {
		return ErrNoBroker
	}
	return cfgerrors.ErrUnsupported
}

func (t *RPC) answer(node int32, resp *wire.PushConfigResponse, configs []sensitive.Clean) error {
	values := make([]string, 0, len(configs))
	for _, c := range configs {
		values = append(values, c.Entry().Value)
	}
	if err := t.refusal(resp.ErrorCode, resp.ErrorMessage, values...); err != nil {
		return fmt.Errorf("PushConfig to broker %s: %w", nodeName(node), err)
	}
	return nil
}

// refusal returns the error of a code that a broker answered, nil for 0.
func (t *RPC) refusal(code int16, message *string, values ...string) error {
	var text string
	if message != nil {
		text = *message
	}
	return cfgerrors.FromCode(wire.CanonicalCode(t.proto, code), text, values...)
}

// nodeName is how kgo names a node in its own log lines: seeds have no id that a
// reader would know.
func nodeName(node int32) string {
	if node < 0 {
		return "seed_" + strconv.Itoa(int(node)-math.MinInt32)
	}
	return strconv.Itoa(int(node))
}

// throttle notes how long a broker wants us to wait. kgo does not do this for
// us: its own throttle would hold the application's requests to that broker too.
func (t *RPC) throttle(millis int32) {
	d := time.Duration(millis) * time.Millisecond
	if d <= 0 {
		return
	}
	until := time.Now().Add(min(d, maxThrottle))
	t.mu.Lock()
	defer t.mu.Unlock()
	if until.After(t.until) {
		t.until = until
	}
}

// throttled waits until no broker wants us to wait any longer.
func (t *RPC) throttled(ctx context.Context) error {
	t.mu.Lock()
	wait := time.Until(t.until)
	t.mu.Unlock()
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
