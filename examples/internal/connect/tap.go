package connect

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/client"
)

// Watched returns the target with connections on which see gets every request of
// the given keys after it was written, as it went to the broker. It is called from
// several goroutines.
func (t Target) Watched(see func(kmsg.Request), keys ...kmsg.Key) Target {
	t.opts = []client.Option{client.Dialer(func(ctx context.Context, network, addr string) (net.Conn, error) {
		var conn net.Conn
		var err error
		if t.tls != nil {
			conn, err = (&tls.Dialer{Config: t.tls}).DialContext(ctx, network, addr)
		} else {
			conn, err = (&net.Dialer{}).DialContext(ctx, network, addr)
		}
		if err != nil {
			return nil, err
		}
		return &tap{Conn: conn, see: see, keys: keys}, nil
	})}
	return t
}

// tap reads what is written.
type tap struct {
	net.Conn
	see  func(kmsg.Request)
	keys []kmsg.Key
	rest []byte // of a frame that is not complete
}

func (t *tap) Write(b []byte) (int, error) {
	n, err := t.Conn.Write(b)
	t.rest = append(t.rest, b[:n]...)
	for len(t.rest) >= 4 {
		end := 4 + int(binary.BigEndian.Uint32(t.rest))
		if len(t.rest) < end {
			break
		}
		if req := decode(t.rest[4:end], t.keys); req != nil {
			t.see(req)
		}
		t.rest = t.rest[end:]
	}
	return n, err
}

// decode returns the request of a frame, nil if it is none of the keys.
func decode(frame []byte, keys []kmsg.Key) kmsg.Request {
	const fixed = 10 // key, version, correlation id, length of the client id
	if len(frame) < fixed {
		return nil
	}
	key := int16(binary.BigEndian.Uint16(frame))
	for _, k := range keys {
		if k.Int16() != key {
			continue
		}
		req := k.Request()
		req.SetVersion(int16(binary.BigEndian.Uint16(frame[2:])))
		at := fixed + max(0, int(int16(binary.BigEndian.Uint16(frame[8:]))))
		if req.IsFlexible() {
			at++ // tags, of which kgo sends none
		}
		if at > len(frame) || req.ReadFrom(frame[at:]) != nil {
			return nil
		}
		return req
	}
	return nil
}
