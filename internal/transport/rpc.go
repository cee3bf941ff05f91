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
}

// NewRPC returns the transport over the native RPCs.
func NewRPC(p kcfg.Protocol, route Router, send Sender) *RPC {
	return &RPC{proto: p, route: route, send: send}
}

// Pushed says where a push went. Node is meaningful only if Sent.
type Pushed struct {
	Node int32
	Sent bool
}

// Push sends the configurations of this client to one broker and returns its
// answer as an error: nil, ErrNoBroker, cfgerrors.ErrUnsupported, what
// cfgerrors.FromCode makes of a code, or what kgo returned. It waits as long as
// an earlier answer told us to, before it sends.
func (t *RPC) Push(ctx context.Context, configs []sensitive.Clean, avoid ...int32) (Pushed, error) {
	if err := t.throttled(ctx); err != nil {
		return Pushed{}, err
	}
	key := t.proto.PushConfigKey
	node, ok := t.route.Target(key, avoid...)
	if !ok {
		return Pushed{}, t.noBroker(key)
	}
	to := Pushed{Node: node, Sent: true}
	kresp, err := t.send(ctx, node, wire.NewPushConfigRequest(t.proto, configs...))
	if err != nil {
		if !t.route.Supports(node, key) {
			// The broker was replaced by one that does not mean the RPC. kgo
			// saw that on the connection that it made for the request, which
			// it then did not send.
			return Pushed{}, t.noBroker(key)
		}
		return to, fmt.Errorf("PushConfig to broker %s: %w", nodeName(node), err)
	}
	resp, ok := kresp.(*wire.PushConfigResponse)
	if !ok {
		return to, fmt.Errorf("PushConfig to broker %s: the response is a %T", nodeName(node), kresp)
	}
	t.throttle(time.Duration(resp.ThrottleMillis) * time.Millisecond)
	return to, t.answer(node, resp, configs)
}

// noBroker says why there is nobody to send to.
func (t *RPC) noBroker(key int16) error {
	if t.route.Supported(key) {
		return ErrNoBroker
	}
	return cfgerrors.ErrUnsupported
}

func (t *RPC) answer(node int32, resp *wire.PushConfigResponse, configs []sensitive.Clean) error {
	var message string
	if resp.ErrorMessage != nil {
		message = *resp.ErrorMessage
	}
	values := make([]string, 0, len(configs))
	for _, c := range configs {
		values = append(values, c.Entry().Value)
	}
	err := cfgerrors.FromCode(wire.CanonicalCode(t.proto, resp.ErrorCode), message, values...)
	if err != nil {
		return fmt.Errorf("PushConfig to broker %s: %w", nodeName(node), err)
	}
	return nil
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
func (t *RPC) throttle(d time.Duration) {
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
