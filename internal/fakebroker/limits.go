package fakebroker

import (
	"bytes"
	"errors"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/identifier"
)

// IdentifierLimits sets resource.identifier.limit.enable (KIP-1233), overriding the
// default of false, and of true with Kafka50: requests whose names are too long are
// refused. See the package documentation for how.
func IdentifierLimits(enable bool) Option {
	return func(c *config) { c.limits = &enable }
}

// Kafka50 makes the defaults those of Kafka 5.0, so far that of IdentifierLimits.
func Kafka50() Option { return func(c *config) { c.kafka50 = true } }

// OffsetMetadataMaxBytes sets offset.metadata.max.bytes, overriding the default of
// 4096. It is only heeded with IdentifierLimits: kfake has no limit.
func OffsetMetadataMaxBytes(n int) Option { return func(c *config) { c.offsetMetadata = n } }

// limited reports whether names that are too long are refused.
func (c *config) limited() bool {
	if c.limits != nil {
		return *c.limits
	}
	return c.kafka50
}

// checkName returns what is wrong with a name.
func (c *config) checkName(t identifier.Type, name string) error {
	if t == identifier.OffsetMetadata {
		return identifier.CheckMetadata(name, c.offsetMetadata)
	}
	return identifier.Check(t, name)
}

// checkNames returns what is wrong with the first name of a request that is too long.
func (c *config) checkNames(clientID string, req kmsg.Request) error {
	err := c.checkName(identifier.ClientID, clientID)
	eachName(req, func(t identifier.Type, name string) {
		if err == nil {
			err = c.checkName(t, name)
		}
	})
	return err
}

// limit looks at the names of a request of Kafka's own. It answers it if one of them
// is too long, and else leaves it to be handed out, perhaps without some topics.
func (t *conn) limit(f *forwarded) (refused bool, err error) {
	if !t.cluster.cfg.limited() || !hasNames(f.key) || !t.admits() {
		return false, nil
	}
	if err := t.fill(sizeLen + f.size); err != nil {
		return false, err
	}
	frame := t.head.Bytes()
	req := kmsg.RequestForKey(f.key)
	req.SetVersion(f.version)
	parsed, err := parseRequest(frame, req.IsFlexible())
	if err != nil || req.ReadFrom(parsed.body) != nil {
		return false, nil // kfake closes the connection
	}
	cfg := &t.cluster.cfg
	tooLong := cfg.checkName(identifier.ClientID, parsed.clientID)
	if tooLong == nil && byTopic(f.key) {
		return t.limitTopics(f, req, frame[:len(frame)-len(parsed.body)])
	}
	if tooLong == nil {
		tooLong = cfg.checkNames("", req)
	}
	if tooLong == nil {
		return false, nil
	}
	if p, ok := req.(*kmsg.ProduceRequest); ok && p.Acks == 0 {
		return true, t.refuse(tooLong) // as for any error of a request without an answer
	}
	return true, t.answerLimited(f, refusalOf(cfg, req, tooLong))
}

// answerLimited answers a request that kfake does not see, when its turn comes.
func (t *conn) answerLimited(f *forwarded, resp kmsg.Response) error {
	t.head.Reset()
	if err := t.awaitIdle(); err != nil {
		return err
	}
	return t.answer(answerFrame(resp, f.correlation), f.fault, nil)
}

// replace puts another body into the frame of a request.
func (t *conn) replace(f *forwarded, head []byte, req kmsg.Request) {
	frame := sized(req.AppendTo(bytes.Clone(head)))
	t.head.Reset()
	t.head.Write(frame)
	f.size = len(frame) - sizeLen
}

// refuseNames returns the answer to a request of ours with a name that is too long,
// and false if there is none. An alteration is judged entity by entity.
func (c *call) refuseNames(cfg *config) (reply, bool) {
	if !cfg.limited() {
		return reply{}, false
	}
	err := cfg.checkName(identifier.ClientID, c.record.Context.ClientID)
	if d := c.record.Describe; err == nil && d != nil {
		for _, component := range d.Components {
			if component.Match != nil && err == nil {
				err = cfg.checkPart(kcfg.EntityPart{Type: component.EntityType, Name: component.Match})
			}
		}
	}
	if err == nil {
		return reply{}, false
	}
	return c.api.refuse(c.req, cfg.protocol.ResourceIdentifierTooLargeCode, lengths(err)), true
}

// checkPart checks a component of an entity: a user is a principal without "User:".
func (c *config) checkPart(p kcfg.EntityPart) error {
	switch {
	case p.Name == nil:
		return nil
	case p.Type == kcfg.EntityUser:
		return c.checkName(identifier.ACLPrincipal, *p.Name)
	}
	return c.checkName(identifier.ClientID, *p.Name)
}

func (c *config) checkParts(parts []kcfg.EntityPart) error {
	if !c.limited() {
		return nil
	}
	for _, p := range parts {
		if err := c.checkPart(p); err != nil {
			return err
		}
	}
	return nil
}

// lengths is the message about a name that is too long. It does not hold the name.
func lengths(err error) string {
	if e, ok := errors.AsType[*cfgerrors.IdentifierTooLargeError](err); ok {
		return e.Error()
	}
	return ""
}
