package wire

import (
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

var (
	_ kmsg.Request  = (*PushConfigRequest)(nil)
	_ kmsg.Response = (*PushConfigResponse)(nil)
)

// minPushConfigEntry is the fewest bytes that an entry takes: two empty
// strings, the type, the default flag, and an empty tag section.
const minPushConfigEntry = 5

// PushConfigRequest is PushConfig v0 (KIP-1324): a client tells the cluster its
// configuration. All of its versions are flexible.
//
// The entries are unexported, so that only checked entries (through
// NewPushConfigRequest) or those of a peer (through ReadFrom) get in.
//
// It does not implement kmsg.TimeoutRequest: kgo would move it to a connection
// that a canceled context kills.
type PushConfigRequest struct {
	Version int16

	key         int16
	configs     []sensitive.Entry
	configsSize int
}

// NewPushConfigRequest returns a request that pushes the given entries in the
// given order.
func NewPushConfigRequest(p kcfg.Protocol, configs ...sensitive.Clean) *PushConfigRequest {
	r := &PushConfigRequest{key: p.PushConfigKey, configs: make([]sensitive.Entry, 0, len(configs))}
	for _, c := range configs {
		r.configs = append(r.configs, c.Entry())
	}
	r.configsSize = len(r.appendConfigs(nil))
	return r
}

// Configs returns a copy of the entries. In a request that came from a peer,
// nothing about them was checked: a type may be any number.
func (r *PushConfigRequest) Configs() []sensitive.Entry {
	return append([]sensitive.Entry(nil), r.configs...)
}

// ConfigsSize returns the encoded size of the Configs array in bytes, its
// length prefix included: what client.configs.max.bytes limits. For a request
// that was read it is the size that the peer sent.
func (r *PushConfigRequest) ConfigsSize() int { return r.configsSize }

func (r *PushConfigRequest) Key() int16         { return r.key }
func (*PushConfigRequest) MaxVersion() int16    { return 0 }
func (r *PushConfigRequest) SetVersion(v int16) { r.Version = v }
func (r *PushConfigRequest) GetVersion() int16  { return r.Version }
func (*PushConfigRequest) IsFlexible() bool     { return true }

// ResponseKind returns an empty response of the same key and version.
func (r *PushConfigRequest) ResponseKind() kmsg.Response {
	return &PushConfigResponse{Version: r.Version, key: r.key}
}

// AppendTo appends the request body to dst.
func (r *PushConfigRequest) AppendTo(dst []byte) []byte {
	dst = r.appendConfigs(dst)
	return append(dst, 0) // no tags
}

func (r *PushConfigRequest) appendConfigs(dst []byte) []byte {
	dst = kbin.AppendCompactArrayLen(dst, len(r.configs))
	for _, c := range r.configs {
		dst = kbin.AppendCompactString(dst, c.Key)
		dst = kbin.AppendCompactString(dst, c.Value)
		dst = kbin.AppendInt8(dst, int8(c.Type))
		dst = kbin.AppendBool(dst, c.IsDefault)
		dst = append(dst, 0) // no tags
	}
	return dst
}

// ReadFrom reads a request body. The API key is left as it is, since the body
// does not hold it. On an error the request is unchanged.
func (r *PushConfigRequest) ReadFrom(src []byte) error {
	b := newReader("PushConfigRequest", src)
	n := b.compactArrayLen("Configs", minPushConfigEntry)
	configs := make([]sensitive.Entry, 0, n)
	for i := 0; i < n && b.err == nil; i++ {
		c := sensitive.Entry{
			Key:       b.compactString("ConfigKey"),
			Value:     b.compactString("ConfigValue"),
			Type:      sensitive.Type(b.Int8()),
			IsDefault: b.Bool(),
		}
		b.tags("Configs")
		configs = append(configs, c)
	}
	size := len(src) - len(b.Src)
	b.tags("PushConfigRequest")
	if err := b.complete(); err != nil {
		return err
	}
	r.configs, r.configsSize = configs, size
	return nil
}

// PushConfigResponse is the broker's answer to a PushConfigRequest.
//
// It deliberately does not implement kmsg.ThrottleResponse: kgo would hold
// everything that it sends to that broker for the throttle, and a client's data
// must not wait because its configuration was throttled.
type PushConfigResponse struct {
	Version int16

	ThrottleMillis int32
	ErrorCode      int16
	ErrorMessage   *string

	key int16
}

// NewPushConfigResponse returns an empty response.
func NewPushConfigResponse(p kcfg.Protocol) *PushConfigResponse {
	return &PushConfigResponse{key: p.PushConfigKey}
}

func (r *PushConfigResponse) Key() int16         { return r.key }
func (*PushConfigResponse) MaxVersion() int16    { return 0 }
func (r *PushConfigResponse) SetVersion(v int16) { r.Version = v }
func (r *PushConfigResponse) GetVersion() int16  { return r.Version }
func (*PushConfigResponse) IsFlexible() bool     { return true }

// RequestKind returns an empty request of the same key and version.
func (r *PushConfigResponse) RequestKind() kmsg.Request {
	return &PushConfigRequest{Version: r.Version, key: r.key}
}

// AppendTo appends the response body to dst. An error message that no Kafka
// string can hold is cut.
func (r *PushConfigResponse) AppendTo(dst []byte) []byte {
	dst = kbin.AppendInt32(dst, r.ThrottleMillis)
	dst = kbin.AppendInt16(dst, r.ErrorCode)
	if r.ErrorMessage == nil {
		dst = kbin.AppendCompactNullableString(dst, nil)
	} else {
		dst = kbin.AppendCompactString(dst, cut(*r.ErrorMessage))
	}
	return append(dst, 0) // no tags
}

// ReadFrom reads a response body. On an error the response is unchanged.
func (r *PushConfigResponse) ReadFrom(src []byte) error {
	b := newReader("PushConfigResponse", src)
	throttle, code := b.Int32(), b.Int16()
	message, ok := b.compactNullableString("ErrorMessage")
	b.tags("PushConfigResponse")
	if err := b.complete(); err != nil {
		return err
	}
	r.ThrottleMillis, r.ErrorCode, r.ErrorMessage = throttle, code, nil
	if ok {
		r.ErrorMessage = &message
	}
	return nil
}
