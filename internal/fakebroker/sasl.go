package fakebroker

import (
	"bytes"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The SASL mechanisms that kfake has.
const (
	mechanismPlain    = "PLAIN"
	mechanismScram256 = "SCRAM-SHA-256"
	mechanismScram512 = "SCRAM-SHA-512"
)

// anonymous is Kafka's principal of a connection without authentication.
const anonymous = "ANONYMOUS"

// auth is what the SASL frames of a connection have told so far. kfake keeps
// its own state unexported, so this one follows the same frames, and takes a
// step only when an answer without error confirms it.
type auth struct {
	required  bool   // the listener requires authentication
	mechanism string // of the exchange in progress, else empty
	claimed   string // user of the exchange in progress, once it was named
	user      string // user of the last complete exchange
	complete  bool   // the last exchange is complete, and none is in progress
}

// handshake returns the state after the answer to a SaslHandshake. A refused
// one changes nothing: on an authenticated connection without a session
// lifetime the answer is ILLEGAL_SASL_STATE and the connection goes on.
func (a auth) handshake(mechanism string, code int16) auth {
	if code != 0 {
		return a
	}
	a.mechanism, a.claimed, a.complete = mechanism, "", false
	return a
}

// authenticate returns the state after the answer to a SaslAuthenticate that
// carried token. PLAIN is complete with the first answer, SCRAM with the
// second; the first one has the user's name. Without an exchange in progress
// the answer is ILLEGAL_SASL_STATE and changes nothing either.
func (a auth) authenticate(token []byte, code int16) auth {
	if a.mechanism == "" {
		return a
	}
	failed := auth{required: a.required}
	if code != 0 {
		return failed
	}
	var ok bool
	switch {
	case a.mechanism == mechanismPlain:
		a.claimed, ok = plainUser(token)
	case a.mechanism != mechanismScram256 && a.mechanism != mechanismScram512:
		return failed
	case a.claimed == "":
		a.claimed, ok = scramUser(token)
		if ok {
			return a
		}
	default:
		ok = true
	}
	if !ok {
		return failed
	}
	return auth{required: a.required, user: a.claimed, complete: true}
}

// admits reports whether requests other than those of the exchange itself are
// served.
func (a auth) admits() bool {
	return a.complete || !a.required && a.mechanism == ""
}

// plainUser returns the user name of a PLAIN message (RFC 4616): an optional
// authorization id, the user, and the password, separated by NUL. An empty
// password is none, as in Kafka: kfake takes it for every user that it does not
// know.
func plainUser(token []byte) (string, bool) {
	parts := bytes.SplitN(token, []byte{0}, 3)
	if len(parts) != 3 || len(parts[1]) == 0 || len(parts[2]) == 0 {
		return "", false
	}
	return string(parts[1]), true
}

// scramUser returns the user name of a SCRAM client-first-message (RFC 5802):
// a channel binding flag, an optional authorization id, an optional extension,
// and then the name, in which a comma is =2C and an equals sign is =3D.
func scramUser(token []byte) (string, bool) {
	fields := strings.Split(string(token), ",")
	if len(fields) < 4 {
		return "", false
	}
	rest := fields[2:]
	if strings.HasPrefix(rest[0], "m=") {
		rest = rest[1:]
	}
	name, ok := strings.CutPrefix(rest[0], "n=")
	if !ok || name == "" {
		return "", false
	}
	// One pass, so that =3D2C is the name =2C and not a comma.
	return strings.NewReplacer("=2C", ",", "=3D", "=").Replace(name), true
}

// userRefused is what Kafka says to a user with a wrong name or password.
const userRefused = "Authentication failed: Invalid username or password"

// refuseUser answers an exchange that kfake ends by closing the connection, as Kafka
// does before it closes one: without it a client cannot tell a wrong password from a
// broker that went away.
func (t *conn) refuseUser() {
	refused, ok := t.unfinished()
	if !ok {
		return
	}
	resp := &kmsg.SASLAuthenticateResponse{Version: refused.version, ErrorCode: kerr.SaslAuthenticationFailed.Code, ErrorMessage: new(userRefused)}
	_ = t.write(answerFrame(resp, refused.correlation)) // the client may be gone
}

// unfinished returns the SaslAuthenticate that waits for its answer, once, unless the
// script or the end of the cluster is why it has none.
func (t *conn) unfinished() (forwarded, bool) {
	select {
	case <-t.cluster.done:
		return forwarded{}, false
	default:
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || len(t.waiting) == 0 {
		return forwarded{}, false
	}
	f := t.waiting[0]
	t.waiting[0].token = nil
	return f, f.key == keySASLAuthenticate && f.token != nil && f.fault == nil
}
