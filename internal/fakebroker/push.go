package fakebroker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/wire"
	"github.com/kcfg-go/kcfg/sensitive"
)

// pushRPC returns the PushConfig RPC of the cluster. It is there without a
// policy too, so that a broker can pretend to have it.
func (c *Cluster) pushRPC() rpc {
	p := c.cfg.protocol
	return rpc{
		enabled: c.cfg.policy != nil,
		request: func() kmsg.Request { return wire.NewPushConfigRequest(p) },
		serve: func(ctx context.Context, rec *Request, req kmsg.Request) reply {
			return c.push(ctx, rec, req.(*wire.PushConfigRequest))
		},
		refuse: func(_ kmsg.Request, code int16, message string) reply {
			return pushReply(p, code, message)
		},
		describe: func(r *Request, req kmsg.Request) {
			r.Entries = req.(*wire.PushConfigRequest).Configs()
		},
	}
}

func pushReply(p kcfg.Protocol, code int16, message string) reply {
	return reply{code: code, message: message, encode: func(code int16, message *string, throttleMillis int32) kmsg.Response {
		resp := wire.NewPushConfigResponse(p)
		resp.ErrorCode, resp.ErrorMessage, resp.ThrottleMillis = code, message, throttleMillis
		return resp
	}}
}

// push serves a push: size, entries, policy, in this order, so that the policy
// sees neither what is too large nor what is invalid.
func (c *Cluster) push(ctx context.Context, rec *Request, req *wire.PushConfigRequest) reply {
	p := c.cfg.protocol
	if size := req.ConfigsSize(); size > c.cfg.maxBytes {
		return pushReply(p, p.ConfigTooLargeCode,
			fmt.Sprintf("the configs take %d bytes, client.configs.max.bytes is %d", size, c.cfg.maxBytes))
	}
	entries, err := typed(req.Configs())
	if err != nil {
		return pushReply(p, kerr.InvalidConfig.Code, err.Error())
	}
	configs := ClientConfigs{BrokerTimestamp: rec.Time, Entries: slices.Clone(entries)}
	r := judge(p, process(ctx, c.cfg.policy, rec.Context, configs))
	if r.code == 0 {
		c.record.push(Push{Conn: rec.Conn, Context: rec.Context, Configs: ClientConfigs{BrokerTimestamp: rec.Time, Entries: entries}})
	}
	return r
}

// judge turns what a policy returned into an answer.
func judge(p kcfg.Protocol, err error) reply {
	if err == nil {
		return pushReply(p, 0, "")
	}
	if crash, ok := errors.AsType[*panicError](err); ok {
		r := pushReply(p, kerr.UnknownServerError.Code, "the policy failed")
		r.detail = crash.Error()
		return r
	}
	refused, ok := errors.AsType[*PolicyError](err)
	switch {
	case !ok:
		return pushReply(p, kerr.InvalidConfig.Code, err.Error())
	case refused.Code == 0:
		return pushReply(p, kerr.InvalidConfig.Code, refused.Message)
	}
	return pushReply(p, refused.Code, refused.Message)
}

// panicError is what a policy panicked with. Its text stays in the record: it
// may hold anything.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("the policy panicked: %v", e.value) }

func process(ctx context.Context, policy ClientConfigPolicy, rc RequestContext, configs ClientConfigs) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicError{v}
		}
	}()
	return policy.Process(ctx, rc, configs)
}

// typed checks the entries of a push and parses their values. An error names the
// first key that is refused, and no value.
func typed(configs []sensitive.Entry) ([]Entry, error) {
	out := make([]Entry, 0, len(configs))
	seen := make(map[string]bool, len(configs))
	for i, c := range configs {
		if c.Key == "" {
			return nil, fmt.Errorf("config %d of %d has an empty key", i+1, len(configs))
		}
		if seen[c.Key] {
			return nil, fmt.Errorf("config %s comes twice", shown(c.Key))
		}
		seen[c.Key] = true
		value, err := parse(c)
		if err != nil {
			return nil, err
		}
		out = append(out, Entry{Key: c.Key, Value: value, Text: c.Value, Type: c.Type, IsDefault: c.IsDefault})
	}
	return out, nil
}

func parse(c sensitive.Entry) (any, error) {
	if c.Type < sensitive.Boolean || c.Type > sensitive.List {
		return nil, fmt.Errorf("config %s has the type %s, which is not one that is pushed", shown(c.Key), c.Type)
	}
	if t := configdef.TypeOf(c.Key); t != sensitive.Unknown && t != c.Type {
		return nil, fmt.Errorf("config %s has the type %s, and not %s", shown(c.Key), t, c.Type)
	}
	value, err := configdef.Parse(c.Type, c.Value)
	if err != nil {
		return nil, fmt.Errorf("the value of config %s is not of its type %s", shown(c.Key), c.Type)
	}
	return value, nil
}

// shown makes a key of a peer fit for a message.
func shown(key string) string {
	const limit = 256
	if len(key) > limit {
		return strconv.QuoteToASCII(key[:limit]) + " (cut)"
	}
	return strconv.QuoteToASCII(key)
}
