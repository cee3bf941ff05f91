package fakebroker

import (
	"bytes"
	"context"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// call is a request of ours while it is being served.
type call struct {
	frameHead
	record  *Request
	support Support // of the broker, when the request's turn came
	fault   *Fault

	api rpc
	req kmsg.Request
}

// own serves a request of ours. It begins when everything before it is answered
// and returns when its own answer is written, so that kfake sees nothing of the
// connection in between: Kafka mutes a connection in the same way.
func (t *conn) own(h frameHead) error {
	if err := t.fill(sizeLen + h.size); err != nil {
		return err
	}
	frame := bytes.Clone(t.head.Bytes())
	t.head.Reset()
	fault := t.take(target{key: h.key, ours: true, answer: true})
	if err := t.awaitIdle(); err != nil {
		return err
	}
	c := call{frameHead: h, support: t.node.mode(), fault: fault, record: &Request{
		Node: t.node.id, Conn: t.number, Time: t.cluster.cfg.clock(), Key: h.key,
		Context: t.context(h), Frame: frame,
	}}
	err := c.accept(t.cluster, t.admits())
	switch {
	case err != nil:
		c.record.Answer = Answer{Outcome: Refused, Detail: err.Error()}
	case fault != nil && fault.Drop:
		c.record.Answer = Answer{Outcome: Dropped}
	}
	t.cluster.record.request(c.record)
	if c.record.Answer.Outcome != Pending {
		return err
	}
	return t.serve(&c)
}

// accept admits and decodes the request, or says why the connection is closed.
func (c *call) accept(cl *Cluster, authenticated bool) error {
	api, err := cl.admit(c.frameHead, c.support, authenticated)
	if err != nil {
		return err
	}
	req, parsed, err := api.decode(c.record.Frame)
	if err != nil {
		return err
	}
	c.api, c.req = api, req
	c.record.Context.ClientID = parsed.clientID
	api.describe(c.record, req)
	if c.fault != nil && c.fault.Close == CloseOnReceipt {
		return errScripted
	}
	return nil
}

// serve answers the request. The record says how before the client can know.
func (t *conn) serve(c *call) error {
	ctx, end, err := t.begin()
	if err != nil {
		t.cluster.record.answer(c.record, Answer{Outcome: Refused, Detail: err.Error()})
		return err
	}
	r := c.reply(ctx, &t.cluster.cfg)
	end()
	throttle := t.cluster.throttle(c.fault)
	a := Answer{Code: r.code, Message: r.message, ThrottleMillis: throttle, Altered: r.altered, Detail: r.detail}
	written := func() { t.cluster.record.outcome(c.record, Answered) }
	if c.fault.withheld() {
		a.Outcome, written = Withheld, nil
	}
	t.cluster.record.answer(c.record, a)
	if err = t.answer(r.frame(c.correlation, throttle), c.fault, written); err != nil {
		t.cluster.record.outcome(c.record, Withheld)
	}
	return err
}

// begin returns a context that ends with the connection, and what ends it
// otherwise.
func (t *conn) begin() (context.Context, func(), error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		cancel(net.ErrClosed)
		return nil, nil, net.ErrClosed
	}
	t.stop = cancel
	return ctx, func() {
		t.update(func() { t.stop = nil })
		cancel(context.Canceled)
	}, nil
}
