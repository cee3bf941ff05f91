package fakebroker

import (
	"bytes"
	"net"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// forwarded is a request that kfake has and did not answer yet.
type forwarded struct {
	frameHead
	fault *Fault
	patch func(frame []byte) []byte // of the answer, nil if there is none

	// What the answer will confirm, by API key.
	mechanism string
	token     []byte
	software  [2]string

	configs *configRequest // with what was refused of it, nil where nothing was
}

// learn keeps what the answer to a request will confirm. A frame that does not
// parse tells nothing, and kfake closes its connection.
func (f *forwarded) learn(frame []byte) {
	switch f.key {
	case keySASLHandshake:
		if req := new(kmsg.SASLHandshakeRequest); parseKnown(frame, req) == nil {
			f.mechanism = req.Mechanism
		}
	case keySASLAuthenticate:
		if req := new(kmsg.SASLAuthenticateRequest); parseKnown(frame, req) == nil {
			f.token = bytes.Clone(req.SASLAuthBytes)
		}
	case keyAPIVersions:
		if req := new(kmsg.ApiVersionsRequest); parseKnown(frame, req) == nil {
			f.software = [2]string{req.ClientSoftwareName, req.ClientSoftwareVersion}
		}
	}
}

// oldest returns the request that waits longest for its answer, if that is the
// one with this correlation id.
func (t *conn) oldest(correlation int32) (forwarded, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.waiting) == 0 || t.waiting[0].correlation != correlation {
		return forwarded{}, false
	}
	return t.waiting[0], true
}

// answered removes the oldest request. It comes behind the write of its answer:
// before that, an answer of ours could overtake it.
func (t *conn) answered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting[0] = forwarded{} // the token is a password
	t.waiting = t.waiting[1:]
	if len(t.waiting) == 0 {
		t.waiting = nil
		t.idle.Broadcast()
	}
}

// awaitIdle waits until no request is waiting for its answer.
func (t *conn) awaitIdle() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.waiting) > 0 && !t.closed {
		t.idle.Wait()
	}
	if t.closed {
		return net.ErrClosed
	}
	return nil
}

// returning takes from an answer what it confirms, and returns what the client
// is to get.
func (t *conn) returning(f forwarded, frame []byte) []byte {
	if f.patch != nil {
		return f.patch(frame)
	}
	switch f.key {
	case keySASLHandshake:
		if code, ok := firstCode(frame, false); ok {
			t.update(func() { t.auth = t.auth.handshake(f.mechanism, code) })
		}
	case keySASLAuthenticate:
		resp := kmsg.SASLAuthenticateResponse{Version: f.version}
		if code, ok := firstCode(frame, resp.IsFlexible()); ok {
			t.update(func() { t.auth = t.auth.authenticate(f.token, code) })
		}
	case keyAPIVersions:
		if code, ok := firstCode(frame, false); ok && code == 0 && f.version >= featureVersion {
			t.update(func() { t.software = f.software })
		}
		return patchAPIVersions(frame, f.version, t.cluster.advert(t.node.mode()))
	}
	if f.configs != nil {
		return f.configs.restore(frame, f.version)
	}
	return frame
}

func (t *conn) update(fn func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fn()
}

// admits reports whether the connection is authenticated as far as it must be.
func (t *conn) admits() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.auth.admits()
}

// context returns what is known of the client now, its client id apart.
func (t *conn) context(h frameHead) RequestContext {
	t.mu.Lock()
	defer t.mu.Unlock()
	principal := t.auth.user
	if principal == "" {
		principal = t.certificateName()
	}
	if principal == "" {
		principal = anonymous
	}
	security := t.cluster.cfg.security()
	return RequestContext{
		Principal:       principal,
		SoftwareName:    t.software[0],
		SoftwareVersion: t.software[1],
		ClientAddress:   t.RemoteAddr().String(),
		Listener:        security,
		Security:        security,
		NodeID:          t.node.id,
		APIVersion:      h.version,
	}
}
