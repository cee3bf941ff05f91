package fakebroker

import (
	"errors"
	"io"

	"github.com/twmb/franz-go/pkg/kmsg"
)

var errScripted = errors.New("fakebroker: the script closes the connection")

// next takes the next frame apart. It serves it if it is ours, and leaves it to
// be handed out if it is not.
func (t *conn) next() error {
	t.head.Reset()
	if err := t.fill(sizeLen); err != nil {
		return err
	}
	if _, err := frameSize(t.head.Bytes()); err != nil {
		return t.refuse(err)
	}
	if err := t.fill(sizeLen + headLen); err != nil {
		return err
	}
	h, err := peekHead(t.head.Bytes())
	if err != nil {
		return err
	}
	if t.cluster.ours(h.key) {
		return t.own(h)
	}
	return t.pass(h)
}

// refuse returns err, which closes the connection, when everything before the
// refused request is answered: its turn does not come before.
func (t *conn) refuse(err error) error {
	if closed := t.awaitIdle(); closed != nil {
		return closed
	}
	return err
}

// take returns the fault of a request and counts the request, in this order: who
// waited for the count knows that later requests get the faults behind it.
func (t *conn) take(tgt target) *Fault {
	tgt.node = t.node.id
	f := t.cluster.script.take(tgt)
	t.cluster.record.count(tgt.node, tgt.key)
	return f
}

// fill reads until the head has n bytes. It takes memory only as the bytes come,
// since the size of a frame is no more than the client's word.
func (t *conn) fill(n int) error {
	have := t.head.Len()
	if have >= n {
		return nil
	}
	_, err := io.CopyN(&t.head, t.in, int64(n-have))
	if errors.Is(err, io.EOF) && t.head.Len() > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// pass leaves a frame of Kafka's own to be handed out to kfake.
func (t *conn) pass(h frameHead) error {
	if kmsg.RequestForKey(h.key) == nil {
		t.cluster.record.count(t.node.id, h.key)
		return t.refuse(unknownKey(h.key)) // kfake would panic
	}
	f, answer, err := t.look(h)
	if err != nil {
		return err
	}
	f.fault = t.take(target{key: h.key, answer: answer})
	switch {
	case f.fault == nil:
	case f.fault.Close == CloseOnReceipt:
		return t.refuse(errScripted)
	case f.fault.Drop:
		rest := sizeLen + h.size - t.head.Len()
		t.head.Reset()
		_, err := t.in.Discard(rest)
		return err
	}
	if refused, err := t.limit(&f); refused || err != nil {
		return err
	}
	if err := t.screen(&f); err != nil {
		return err
	}
	if answer {
		t.mu.Lock()
		t.waiting = append(t.waiting, f)
		t.mu.Unlock()
	}
	t.rest = sizeLen + f.size - t.head.Len()
	return nil
}

// look reads as much of a frame as the tap has to know, and tells whether the
// request will be answered.
func (t *conn) look(h frameHead) (f forwarded, answer bool, err error) {
	f = forwarded{frameHead: h}
	switch h.key {
	case keyProduce:
		acks, ok, err := t.acks(h)
		if ok {
			t.cluster.record.ack(t.node.id, acks)
		}
		return f, !ok || acks != 0, err
	case keyAPIVersions, keySASLHandshake, keySASLAuthenticate:
		if err := t.fill(sizeLen + h.size); err != nil {
			return f, false, err
		}
		f.learn(t.head.Bytes())
	}
	return f, true, nil
}

// acks finds the acks of a Produce request. They stand behind two strings that
// are nearly always short, so it reads little at first; the rest of the frame
// goes to kfake without a copy.
func (t *conn) acks(h frameHead) (acks int16, ok bool, err error) {
	whole := sizeLen + h.size
	for n := 256; ; n *= 2 {
		if err := t.fill(min(n, whole)); err != nil {
			return 0, false, err
		}
		acks, ok = produceAcks(t.head.Bytes())
		if ok || n >= whole {
			return acks, ok, nil
		}
	}
}
