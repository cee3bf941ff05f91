package wire

import (
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

var (
	_ kmsg.Request  = (*DescribeClientConfigsRequest)(nil)
	_ kmsg.Response = (*DescribeClientConfigsResponse)(nil)
)

// The fewest bytes that an element of each array takes.
const (
	minComponent     = 5 // an empty string, the match type, a null string
	minSupportedKey  = 2 // an empty string
	minDescribeEntry = 8 // two empty arrays
	minEntityPart    = 4 // an empty string, a null string
	minDescribeValue = 4 // two empty strings
)

// DescribeClientConfigsRequest is DescribeClientConfigs v0 (KIP-649), which is
// not flexible: an operator asks for the configurations of entities, or a client
// for its own.
type DescribeClientConfigsRequest struct {
	Version int16

	Components []DescribeComponent
	// SupportedConfigs are the dynamic keys that a client supports; nil, which
	// is not the same as empty, from others.
	SupportedConfigs []string
	// ResolveEntity asks for the one resolved entry of the client itself.
	ResolveEntity bool
	// Strict leaves out entities with types that Components does not name.
	Strict bool

	key int16
}

// DescribeComponent is a component of the filter.
type DescribeComponent struct {
	EntityType string
	MatchType  int8
	Match      *string // null if the match type does not use it
}

// NewDescribeClientConfigsRequest returns an empty request.
func NewDescribeClientConfigsRequest(p kcfg.Protocol) *DescribeClientConfigsRequest {
	return &DescribeClientConfigsRequest{key: p.DescribeClientConfigsKey}
}

func (r *DescribeClientConfigsRequest) Key() int16         { return r.key }
func (*DescribeClientConfigsRequest) MaxVersion() int16    { return 0 }
func (r *DescribeClientConfigsRequest) SetVersion(v int16) { r.Version = v }
func (r *DescribeClientConfigsRequest) GetVersion() int16  { return r.Version }
func (*DescribeClientConfigsRequest) IsFlexible() bool     { return false }

// ResponseKind returns an empty response of the same key and version.
func (r *DescribeClientConfigsRequest) ResponseKind() kmsg.Response {
	return &DescribeClientConfigsResponse{Version: r.Version, key: r.key}
}

// AppendTo appends the request body to dst.
func (r *DescribeClientConfigsRequest) AppendTo(dst []byte) []byte {
	dst = kbin.AppendArrayLen(dst, len(r.Components))
	for _, c := range r.Components {
		dst = appendString(dst, c.EntityType)
		dst = kbin.AppendInt8(dst, c.MatchType)
		dst = appendNullableString(dst, c.Match)
	}
	dst = appendNullableArrayLen(dst, len(r.SupportedConfigs), r.SupportedConfigs == nil)
	for _, k := range r.SupportedConfigs {
		dst = appendString(dst, k)
	}
	dst = kbin.AppendBool(dst, r.ResolveEntity)
	return kbin.AppendBool(dst, r.Strict)
}

// ReadFrom reads a request body. On an error the request is unchanged.
func (r *DescribeClientConfigsRequest) ReadFrom(src []byte) error {
	b := newReader("DescribeClientConfigsRequest", src)
	got := DescribeClientConfigsRequest{Version: r.Version, key: r.key}
	got.Components = readArray(b, "Components", minComponent, func() DescribeComponent {
		return DescribeComponent{
			EntityType: b.string("EntityType"),
			MatchType:  b.Int8(),
			Match:      b.nullableString("Match"),
		}
	})
	got.SupportedConfigs = readNullableArray(b, "SupportedConfigs", minSupportedKey, func() string {
		return b.string("SupportedConfigs")
	})
	got.ResolveEntity, got.Strict = b.Bool(), b.Bool()
	if err := b.complete(); err != nil {
		return err
	}
	*r = got
	return nil
}

// DescribeClientConfigsResponse is the answer to a DescribeClientConfigsRequest.
// It does not implement kmsg.ThrottleResponse, for the reason that
// PushConfigResponse has.
type DescribeClientConfigsResponse struct {
	Version int16

	ThrottleMillis int32
	ErrorCode      int16
	ErrorMessage   *string
	Entries        []DescribeEntry // nil is null

	key int16
}

// DescribeEntry is what is set for one entity.
type DescribeEntry struct {
	Entity []kcfg.EntityPart
	Values []kcfg.KeyValue
}

// NewDescribeClientConfigsResponse returns an empty response.
func NewDescribeClientConfigsResponse(p kcfg.Protocol) *DescribeClientConfigsResponse {
	return &DescribeClientConfigsResponse{key: p.DescribeClientConfigsKey}
}

func (r *DescribeClientConfigsResponse) Key() int16         { return r.key }
func (*DescribeClientConfigsResponse) MaxVersion() int16    { return 0 }
func (r *DescribeClientConfigsResponse) SetVersion(v int16) { r.Version = v }
func (r *DescribeClientConfigsResponse) GetVersion() int16  { return r.Version }
func (*DescribeClientConfigsResponse) IsFlexible() bool     { return false }

// RequestKind returns an empty request of the same key and version.
func (r *DescribeClientConfigsResponse) RequestKind() kmsg.Request {
	return &DescribeClientConfigsRequest{Version: r.Version, key: r.key}
}

// AppendTo appends the response body to dst.
func (r *DescribeClientConfigsResponse) AppendTo(dst []byte) []byte {
	dst = kbin.AppendInt32(dst, r.ThrottleMillis)
	dst = kbin.AppendInt16(dst, r.ErrorCode)
	dst = appendMessage(dst, r.ErrorMessage)
	dst = appendNullableArrayLen(dst, len(r.Entries), r.Entries == nil)
	for _, e := range r.Entries {
		dst = appendEntity(dst, e.Entity)
		dst = kbin.AppendArrayLen(dst, len(e.Values))
		for _, v := range e.Values {
			dst = appendString(dst, v.Key)
			dst = appendString(dst, v.Value)
		}
	}
	return dst
}

// ReadFrom reads a response body. On an error the response is unchanged.
func (r *DescribeClientConfigsResponse) ReadFrom(src []byte) error {
	b := newReader("DescribeClientConfigsResponse", src)
	got := DescribeClientConfigsResponse{Version: r.Version, key: r.key}
	got.ThrottleMillis, got.ErrorCode = b.Int32(), b.Int16()
	got.ErrorMessage = b.nullableString("ErrorMessage")
	got.Entries = readNullableArray(b, "Entries", minDescribeEntry, func() DescribeEntry {
		return DescribeEntry{
			Entity: readEntity(b),
			Values: readArray(b, "Values", minDescribeValue, func() kcfg.KeyValue {
				return kcfg.KeyValue{Key: b.string("Key"), Value: b.string("Value")}
			}),
		}
	})
	if err := b.complete(); err != nil {
		return err
	}
	*r = got
	return nil
}
