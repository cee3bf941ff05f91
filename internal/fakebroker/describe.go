package fakebroker

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/wire"
)

// describeRPC returns the DescribeClientConfigs RPC of the cluster. It is there
// while it is disabled too, so that a broker can pretend to have it.
func (c *Cluster) describeRPC() rpc {
	p := c.cfg.protocol
	return rpc{
		enabled: c.cfg.dynamic,
		request: func() kmsg.Request { return wire.NewDescribeClientConfigsRequest(p) },
		serve: func(_ context.Context, rec *Request, req kmsg.Request) reply {
			return c.describe(rec, req.(*wire.DescribeClientConfigsRequest))
		},
		refuse: func(_ kmsg.Request, code int16, message string) reply {
			return describeReply(p, code, message, nil)
		},
		describe: func(r *Request, req kmsg.Request) {
			r.Describe = req.(*wire.DescribeClientConfigsRequest)
		},
	}
}

func describeReply(p kcfg.Protocol, code int16, message string, entries []wire.DescribeEntry) reply {
	return reply{code: code, message: message, encode: func(code int16, message *string, throttleMillis int32) kmsg.Response {
		resp := wire.NewDescribeClientConfigsResponse(p)
		resp.ErrorCode, resp.ErrorMessage, resp.ThrottleMillis = code, message, throttleMillis
		resp.Entries = entries
		return resp
	}}
}

func (c *Cluster) describe(rec *Request, req *wire.DescribeClientConfigsRequest) reply {
	p := c.cfg.protocol
	if (!req.ResolveEntity || c.cfg.authorizeSelf) && !c.allowed(rec.Context, DescribeConfigs) {
		return describeReply(p, kerr.ClusterAuthorizationFailed.Code, denial(DescribeConfigs), nil)
	}
	filter, err := filterOf(req)
	if err == nil && req.ResolveEntity {
		return c.describeSelf(rec.Context, req, filter)
	}
	if err == nil && req.SupportedConfigs != nil {
		err = errors.New("only a client that asks for itself has supported configs")
	}
	if err != nil {
		return describeReply(p, kerr.InvalidRequest.Code, err.Error(), nil)
	}
	entries := []wire.DescribeEntry{}
	for _, d := range c.store.describe(filter) {
		entries = append(entries, wire.DescribeEntry{Entity: d.Entity.Parts(), Values: d.Values})
	}
	return describeReply(p, 0, "", entries)
}

// describeSelf answers a client that asks for its own configurations: the
// connection says who its user is. The answer has one entry, be anything set or
// not.
func (c *Cluster) describeSelf(rc RequestContext, req *wire.DescribeClientConfigsRequest, f kcfg.Filter) reply {
	p := c.cfg.protocol
	user := kcfg.User(rc.Principal)
	self := user
	switch {
	case len(f.Components) == 0: // the user's default configurations
	case len(f.Components) == 1 && f.Components[0].Type == kcfg.EntityClientID && f.Components[0].Match == kcfg.MatchExact:
		self = user.Client(f.Components[0].Name)
	default:
		return describeReply(p, kerr.InvalidRequest.Code, "a client that asks for itself names its client id and nothing else", nil)
	}
	if self != user {
		c.store.register(self, rc, req.SupportedConfigs)
	}
	return describeReply(p, 0, "", []wire.DescribeEntry{{Entity: self.Parts(), Values: c.store.resolve(user, self)}})
}

// filterOf returns the filter of a request, or what is wrong with it.
func filterOf(req *wire.DescribeClientConfigsRequest) (kcfg.Filter, error) {
	f := kcfg.Filter{Strict: req.Strict}
	seen := make(map[string]bool)
	for _, c := range req.Components {
		match := kcfg.MatchType(c.MatchType)
		switch {
		case c.EntityType != kcfg.EntityUser && c.EntityType != kcfg.EntityClientID:
			return f, fmt.Errorf("unknown entity type %s", shown(c.EntityType))
		case seen[c.EntityType]:
			return f, fmt.Errorf("entity type %s comes twice", c.EntityType)
		case match != kcfg.MatchExact && match != kcfg.MatchDefault && match != kcfg.MatchAny:
			return f, fmt.Errorf("unknown match type %d", c.MatchType)
		case (match == kcfg.MatchExact) != (c.Match != nil):
			return f, fmt.Errorf("match type %d of entity type %s has a name, or lacks one", c.MatchType, c.EntityType)
		}
		seen[c.EntityType] = true
		component := kcfg.FilterComponent{Type: c.EntityType, Match: match}
		if c.Match != nil {
			if !utf8.ValidString(*c.Match) {
				return f, fmt.Errorf("the name of entity type %s is not UTF-8", c.EntityType)
			}
			component.Name = *c.Match
		}
		f.Components = append(f.Components, component)
	}
	return f, nil
}
