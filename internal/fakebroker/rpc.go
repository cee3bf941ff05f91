package fakebroker

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// rpc is one of our RPCs. The cluster has a table of them by API key; a key of
// the Protocol that is not in it is one that this broker does not know.
type rpc struct {
	// enabled is false for an RPC that is there but switched off. It is not
	// advertised then, and not served.
	enabled bool

	// request returns an empty request to decode into.
	request func() kmsg.Request
	// serve answers a decoded request. All of its record is known but the
	// answer.
	serve func(ctx context.Context, rec *Request, req kmsg.Request) reply
	// refuse answers a decoded request with nothing but an error.
	refuse func(req kmsg.Request, code int16, message string) reply
	// describe adds what was decoded to the record of the request.
	describe func(r *Request, req kmsg.Request)
}

// reply is an answer before it is encoded.
type reply struct {
	code    int16
	message string // null if empty
	detail  string // for the record only, never sent
	altered []AlterOutcome
	encode  func(code int16, message *string, throttleMillis int32) kmsg.Response
}

// frame encodes the reply as a whole frame.
func (r reply) frame(correlation, throttleMillis int32) []byte {
	var message *string
	if r.message != "" {
		message = &r.message
	}
	return answerFrame(r.encode(r.code, message, throttleMillis), correlation)
}

// refusal says why a broker closes the connection instead of answering a
// request of ours.
type refusal string

func (r refusal) Error() string { return "fakebroker: connection closed: " + string(r) }

func unknownKey(key int16) error { return refusal(fmt.Sprintf("unknown API key %d", key)) }

// admit decides whether a request of ours is answered at all. Kafka closes the
// connection for each of these reasons.
func (c *Cluster) admit(h frameHead, s Support, authenticated bool) (rpc, error) {
	api, known := c.apis[h.key]
	switch {
	case !authenticated:
		return rpc{}, refusal("the connection is not authenticated")
	case !known, s == Unsupported, s == KeyOnly, s == FeatureOnly, s == Supported && !api.enabled:
		return rpc{}, unknownKey(h.key)
	case h.version < 0 || h.version > api.request().MaxVersion():
		return rpc{}, refusal(fmt.Sprintf("API key %d has no version %d", h.key, h.version))
	}
	return api, nil
}

// decode reads a whole frame into an empty request.
func (r rpc) decode(frame []byte) (kmsg.Request, request, error) {
	req := r.request()
	parsed, err := parseRequest(frame, req.IsFlexible())
	if err != nil {
		return nil, request{}, err
	}
	req.SetVersion(parsed.version)
	if err := req.ReadFrom(parsed.body); err != nil {
		return nil, request{}, fmt.Errorf("%w: %w", errMalformed, err)
	}
	return req, parsed, nil
}

// reply returns the answer to the request: that of the script, of a broker that
// only pretends, or of the RPC.
func (c *call) reply(ctx context.Context, cfg *config) reply {
	switch {
	case c.fault != nil && c.fault.Code != 0:
		return c.api.refuse(c.req, c.fault.Code, c.fault.Message)
	case c.support == Unserved:
		return c.api.refuse(c.req, kerr.UnsupportedVersion.Code, "")
	}
	if r, refused := c.refuseNames(cfg); refused {
		return r
	}
	return c.api.serve(ctx, c.record, c.req)
}
