package fakebroker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// The requests of Kafka's own that are screened.
const (
	keyDescribeConfigs         int16 = 32
	keyAlterConfigs            int16 = 33
	keyIncrementalAlterConfigs int16 = 44
)

// configRequest is one of Kafka's requests about configurations.
type configRequest struct {
	req                      kmsg.Request
	op                       Operation
	replaceAll, validateOnly bool
	asked                    []kcfg.ConfigAlteration // without operations where it describes
	refused                  map[int]AlterOutcome    // by their place in asked
}

// parseConfigRequest takes a whole frame apart. body is the length of what is behind
// the header.
func parseConfigRequest(frame []byte) (q *configRequest, body int, clientID string, err error) {
	h, err := peekHead(frame)
	if err != nil {
		return nil, 0, "", err
	}
	q = &configRequest{req: kmsg.RequestForKey(h.key)}
	if h.version < 0 || h.version > q.req.MaxVersion() {
		return nil, 0, "", errMalformed
	}
	q.req.SetVersion(h.version)
	parsed, err := parseRequest(frame, q.req.IsFlexible())
	if err != nil {
		return nil, 0, "", err
	}
	if err := q.req.ReadFrom(parsed.body); err != nil {
		return nil, 0, "", err
	}
	q.read()
	return q, len(parsed.body), parsed.clientID, nil
}

// read fills in what a request asks for.
func (q *configRequest) read() {
	ask := func(t kmsg.ConfigResourceType, name string, ops []kcfg.ConfigOp) {
		q.asked = append(q.asked, kcfg.AlterConfig(kcfg.ResourceOf(kcfg.ResourceType(t), name), ops...))
	}
	q.op = AlterConfigs
	switch req := q.req.(type) {
	case *kmsg.DescribeConfigsRequest:
		q.op = DescribeConfigs
		for _, r := range req.Resources {
			ask(r.ResourceType, r.ResourceName, nil)
		}
	case *kmsg.AlterConfigsRequest:
		q.replaceAll, q.validateOnly = true, req.ValidateOnly
		for _, r := range req.Resources {
			var ops []kcfg.ConfigOp
			for _, c := range r.Configs {
				ops = append(ops, kcfg.SetConfig(c.Name, orEmpty(c.Value)))
			}
			ask(r.ResourceType, r.ResourceName, ops)
		}
	case *kmsg.IncrementalAlterConfigsRequest:
		q.validateOnly = req.ValidateOnly
		for _, r := range req.Resources {
			var ops []kcfg.ConfigOp
			for _, c := range r.Configs {
				ops = append(ops, kcfg.ConfigOp{Kind: kcfg.ConfigOpKind(c.Op), Key: c.Name, Value: orEmpty(c.Value)})
			}
			ask(r.ResourceType, r.ResourceName, ops)
		}
	}
}

// drop takes out of the request what is refused.
func (q *configRequest) drop() {
	switch req := q.req.(type) {
	case *kmsg.DescribeConfigsRequest:
		req.Resources = kept(q, req.Resources)
	case *kmsg.AlterConfigsRequest:
		req.Resources = kept(q, req.Resources)
	case *kmsg.IncrementalAlterConfigsRequest:
		req.Resources = kept(q, req.Resources)
	}
}

func kept[R any](q *configRequest, resources []R) []R {
	out := []R{}
	for i, r := range resources {
		if _, refused := q.refused[i]; !refused {
			out = append(out, r)
		}
	}
	return out
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (o AlterOutcome) message() *string {
	if o.Message == "" {
		return nil
	}
	return &o.Message
}
