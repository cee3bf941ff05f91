package fakebroker

import (
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/identifier"
)

// byTopic reports whether a request is judged topic by topic, as Kafka does: a client
// asks in one request for all topics that it knows.
func byTopic(key int16) bool {
	return key == kmsg.Metadata.Int16() || key == kmsg.CreateTopics.Int16()
}

// limitTopics takes the topics out of a request whose names are too long. They are in
// the answer again, with INVALID_TOPIC_EXCEPTION.
func (t *conn) limitTopics(f *forwarded, req kmsg.Request, head []byte) (refused bool, err error) {
	switch req := req.(type) {
	case *kmsg.MetadataRequest:
		bad := split(&t.cluster.cfg, &req.Topics, func(rt *kmsg.MetadataRequestTopic) string {
			if rt.Topic == nil {
				return ""
			}
			return *rt.Topic
		})
		if len(bad) == 0 {
			return false, nil
		}
		// None in version 0 means all.
		f.patch = patchMetadata(f.version, bad, f.version == 0 && len(req.Topics) == 0)
		t.replace(f, head, req)
	case *kmsg.CreateTopicsRequest:
		bad := split(&t.cluster.cfg, &req.Topics, func(rt *kmsg.CreateTopicsRequestTopic) string { return rt.Topic })
		if len(bad) == 0 {
			return false, nil
		}
		f.patch = patchCreate(f.version, bad)
		t.replace(f, head, req)
	}
	return false, nil
}

// split takes the topics out of a list whose names are too long, and returns them.
func split[T any](cfg *config, topics *[]T, name func(*T) string) (bad []string) {
	*topics = slices.DeleteFunc(*topics, func(rt T) bool {
		n := name(&rt)
		if cfg.checkName(identifier.Topic, n) == nil {
			return false
		}
		bad = append(bad, n)
		return true
	})
	return bad
}

func patchMetadata(version int16, bad []string, only bool) func([]byte) []byte {
	return func(frame []byte) []byte {
		resp := kmsg.NewPtrMetadataResponse()
		return patched(frame, version, resp, func() {
			if only {
				resp.Topics = nil
			}
			for _, name := range bad {
				rt := kmsg.NewMetadataResponseTopic()
				rt.Topic, rt.ErrorCode = &name, kerr.InvalidTopicException.Code
				resp.Topics = append(resp.Topics, rt)
			}
		})
	}
}

func patchCreate(version int16, bad []string) func([]byte) []byte {
	return func(frame []byte) []byte {
		resp := kmsg.NewPtrCreateTopicsResponse()
		return patched(frame, version, resp, func() {
			for _, name := range bad {
				rt := kmsg.NewCreateTopicsResponseTopic()
				rt.Topic, rt.ErrorCode = name, kerr.InvalidTopicException.Code
				message := lengths(identifier.Check(identifier.Topic, name))
				rt.ErrorMessage = &message
				resp.Topics = append(resp.Topics, rt)
			}
		})
	}
}

// patched decodes an answer, changes it, and encodes it again. One that cannot be
// decoded goes as it is.
func patched(frame []byte, version int16, resp kmsg.Response, change func()) []byte {
	resp.SetVersion(version)
	body := frame[answerHead:]
	if resp.IsFlexible() {
		if len(body) == 0 || body[0] != 0 {
			return frame
		}
		body = body[1:]
	}
	if resp.ReadFrom(body) != nil {
		return frame
	}
	change()
	return answerFrame(resp, correlation(frame))
}
