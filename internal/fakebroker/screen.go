package fakebroker

import (
	"bytes"
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// screen takes out of a request for configurations what KIP-133 refuses and kfake
// does not: the rights of Grants, a resource that comes twice, what is read-only,
// and the policy. kfake gets the rest, and its answer what was taken out. A request
// of which nothing is refused goes on byte for byte.
func (t *conn) screen(f *forwarded) error {
	switch f.key {
	case keyDescribeConfigs, keyAlterConfigs, keyIncrementalAlterConfigs:
	default:
		return nil
	}
	if err := t.fill(sizeLen + f.size); err != nil {
		return err
	}
	if err := t.awaitIdle(); err != nil { // who it is may be in the answers
		return err
	}
	frame := bytes.Clone(t.head.Bytes())
	q, body, clientID, err := parseConfigRequest(frame)
	if err != nil || !t.admits() {
		return nil // kfake closes the connection
	}
	ctx, end, err := t.begin()
	if err != nil {
		return err
	}
	rc := t.context(f.frameHead)
	rc.ClientID = clientID
	q.refused = t.cluster.refuseConfigs(ctx, rc, q)
	end()
	if len(q.refused) == 0 {
		return nil
	}
	q.drop()
	frame = sized(q.req.AppendTo(frame[:len(frame)-body]))
	f.size, f.configs = len(frame)-sizeLen, q
	t.head.Reset()
	t.head.Write(frame)
	return nil
}

// refuseConfigs returns what is refused of a request, by the resource's place in it.
func (c *Cluster) refuseConfigs(ctx context.Context, rc RequestContext, q *configRequest) map[int]AlterOutcome {
	times := make(map[kcfg.Resource]int)
	for _, a := range q.asked {
		times[a.Resource]++
	}
	out := make(map[int]AlterOutcome)
	for i, a := range q.asked {
		switch {
		case !c.granted(rc, q.op, a.Resource):
			out[i] = AlterOutcome{deniedCode(a.Resource), fmt.Sprintf("%s on %s is not allowed", q.op, rightsOn(a.Resource))}
			continue
		case q.op == DescribeConfigs:
			continue
		case times[a.Resource] > 1:
			out[i] = AlterOutcome{kerr.InvalidRequest.Code, "the resource comes more than once"}
			continue
		case keyTwice(a.Ops):
			out[i] = AlterOutcome{kerr.InvalidRequest.Code, "Error due to duplicate config keys"}
			continue
		case a.Resource.Type() == kcfg.ResourceBroker && len(readOnlyOf(a.Ops)) > 0:
			out[i] = AlterOutcome{kerr.InvalidRequest.Code, fmt.Sprintf("cannot update these configs dynamically: %s", readOnlyOf(a.Ops))}
			continue
		}
		m := AlterMetadata{Context: rc, Resource: a.Resource, Ops: a.Ops, ReplaceAll: q.replaceAll, ValidateOnly: q.validateOnly}
		if err := validateAlter(ctx, c.cfg.alterPolicy, m); err != nil {
			out[i], _ = judgeAlter(err)
		}
	}
	return out
}

// keyTwice reports whether a key comes more than once, which Kafka refuses.
func keyTwice(ops []kcfg.ConfigOp) bool {
	seen := make(map[string]bool, len(ops))
	for _, op := range ops {
		if seen[op.Key] {
			return true
		}
		seen[op.Key] = true
	}
	return false
}

// deniedCode is the code of a missing right on a resource.
func deniedCode(r kcfg.Resource) int16 {
	switch r.Type() {
	case kcfg.ResourceTopic:
		return kerr.TopicAuthorizationFailed.Code
	case kcfg.ResourceGroup:
		return kerr.GroupAuthorizationFailed.Code
	}
	return kerr.ClusterAuthorizationFailed.Code
}

// readOnlyOf returns the keys that kfake describes as read-only, and would alter.
func readOnlyOf(ops []kcfg.ConfigOp) []string {
	var out []string
	for _, op := range ops {
		switch op.Key {
		case "broker.id", "broker.rack", "sasl.enabled.mechanisms", "super.users":
			out = append(out, op.Key)
		}
	}
	return out
}

// restore adds to an answer what was refused of the request. An answer that cannot
// be read stays as it is.
func (q *configRequest) restore(frame []byte, version int16) []byte {
	resp := q.req.ResponseKind()
	resp.SetVersion(version)
	if !wholeFrame(frame) {
		return frame
	}
	body := frame[answerHead:]
	if resp.IsFlexible() {
		if len(body) == 0 || body[0] != 0 {
			return frame // kfake writes no tags
		}
		body = body[1:]
	}
	if resp.ReadFrom(body) != nil {
		return frame
	}
	q.merge(resp)
	return answerFrame(resp, correlation(frame))
}

// merge puts the refusals where they were in the request.
func (q *configRequest) merge(resp kmsg.Response) {
	switch resp := resp.(type) {
	case *kmsg.DescribeConfigsResponse:
		resp.Resources = merged(q, resp.Resources, func(r kcfg.Resource, o AlterOutcome) kmsg.DescribeConfigsResponseResource {
			out := kmsg.NewDescribeConfigsResponseResource()
			out.ResourceType, out.ResourceName = kmsg.ConfigResourceType(r.Type()), r.Name()
			out.ErrorCode, out.ErrorMessage = o.Code, o.message()
			return out
		})
	case *kmsg.AlterConfigsResponse:
		resp.Resources = merged(q, resp.Resources, func(r kcfg.Resource, o AlterOutcome) kmsg.AlterConfigsResponseResource {
			out := kmsg.NewAlterConfigsResponseResource()
			out.ResourceType, out.ResourceName = kmsg.ConfigResourceType(r.Type()), r.Name()
			out.ErrorCode, out.ErrorMessage = o.Code, o.message()
			return out
		})
	case *kmsg.IncrementalAlterConfigsResponse:
		resp.Resources = merged(q, resp.Resources, func(r kcfg.Resource, o AlterOutcome) kmsg.IncrementalAlterConfigsResponseResource {
			out := kmsg.NewIncrementalAlterConfigsResponseResource()
			out.ResourceType, out.ResourceName = kmsg.ConfigResourceType(r.Type()), r.Name()
			out.ErrorCode, out.ErrorMessage = o.Code, o.message()
			return out
		})
	}
}

// merged returns answers and refusals in the order of the request.
func merged[R any](q *configRequest, answered []R, refusal func(kcfg.Resource, AlterOutcome) R) []R {
	var out []R
	for i, a := range q.asked {
		if o, refused := q.refused[i]; refused {
			out = append(out, refusal(a.Resource, o))
		} else if len(answered) > 0 {
			out, answered = append(out, answered[0]), answered[1:]
		}
	}
	return append(out, answered...)
}
