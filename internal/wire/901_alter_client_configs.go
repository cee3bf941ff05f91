package wire

import (
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

var (
	_ kmsg.Request  = (*AlterClientConfigsRequest)(nil)
	_ kmsg.Response = (*AlterClientConfigsResponse)(nil)
)

// The fewest bytes that an element of each array takes.
const (
	minAlterEntry  = 8 // two empty arrays
	minAlterOp     = 5 // two empty strings, a flag
	minAlterResult = 8 // the code, a null string, an empty array
)

// AlterClientConfigsRequest is AlterClientConfigs v0 (KIP-649), which is not
// flexible: an operator changes the configurations of entities.
type AlterClientConfigsRequest struct {
	Version int16

	Entries []AlterEntry
	// ValidateOnly asks for every check, the policy among them, and no change.
	ValidateOnly bool

	key int16
}

// AlterEntry is what changes for one entity.
type AlterEntry struct {
	Entity []kcfg.EntityPart
	Ops    []kcfg.Op
}

// NewAlterClientConfigsRequest returns an empty request.
func NewAlterClientConfigsRequest(p kcfg.Protocol) *AlterClientConfigsRequest {
	return &AlterClientConfigsRequest{key: p.AlterClientConfigsKey}
}

func (r *AlterClientConfigsRequest) Key() int16         { return r.key }
func (*AlterClientConfigsRequest) MaxVersion() int16    { return 0 }
func (r *AlterClientConfigsRequest) SetVersion(v int16) { r.Version = v }
func (r *AlterClientConfigsRequest) GetVersion() int16  { return r.Version }
func (*AlterClientConfigsRequest) IsFlexible() bool     { return false }

// ResponseKind returns an empty response of the same key and version.
func (r *AlterClientConfigsRequest) ResponseKind() kmsg.Response {
	return &AlterClientConfigsResponse{Version: r.Version, key: r.key}
}

// AppendTo appends the request body to dst. The value of a removal is empty.
func (r *AlterClientConfigsRequest) AppendTo(dst []byte) []byte {
	dst = kbin.AppendArrayLen(dst, len(r.Entries))
	for _, e := range r.Entries {
		dst = appendEntity(dst, e.Entity)
		dst = kbin.AppendArrayLen(dst, len(e.Ops))
		for _, op := range e.Ops {
			dst = appendString(dst, op.Key)
			dst = appendString(dst, op.Value)
			dst = kbin.AppendBool(dst, op.Remove)
		}
	}
	return kbin.AppendBool(dst, r.ValidateOnly)
}

// ReadFrom reads a request body. On an error the request is unchanged.
func (r *AlterClientConfigsRequest) ReadFrom(src []byte) error {
	b := newReader("AlterClientConfigsRequest", src)
	got := AlterClientConfigsRequest{Version: r.Version, key: r.key}
	got.Entries = readArray(b, "Entries", minAlterEntry, func() AlterEntry {
		return AlterEntry{
			Entity: readEntity(b),
			Ops: readArray(b, "Ops", minAlterOp, func() kcfg.Op {
				return kcfg.Op{Key: b.string("Key"), Value: b.string("Value"), Remove: b.Bool()}
			}),
		}
	})
	got.ValidateOnly = b.Bool()
	if err := b.complete(); err != nil {
		return err
	}
	*r = got
	return nil
}

// AlterClientConfigsResponse is the answer to an AlterClientConfigsRequest. It
// does not implement kmsg.ThrottleResponse, for the reason that
// PushConfigResponse has.
type AlterClientConfigsResponse struct {
	Version int16

	ThrottleMillis int32
	Entries        []AlterResult

	key int16
}

// AlterResult is the outcome for one entity.
type AlterResult struct {
	ErrorCode    int16
	ErrorMessage *string
	Entity       []kcfg.EntityPart
}

// NewAlterClientConfigsResponse returns an empty response.
func NewAlterClientConfigsResponse(p kcfg.Protocol) *AlterClientConfigsResponse {
	return &AlterClientConfigsResponse{key: p.AlterClientConfigsKey}
}

func (r *AlterClientConfigsResponse) Key() int16         { return r.key }
func (*AlterClientConfigsResponse) MaxVersion() int16    { return 0 }
func (r *AlterClientConfigsResponse) SetVersion(v int16) { r.Version = v }
func (r *AlterClientConfigsResponse) GetVersion() int16  { return r.Version }
func (*AlterClientConfigsResponse) IsFlexible() bool     { return false }

// RequestKind returns an empty request of the same key and version.
func (r *AlterClientConfigsResponse) RequestKind() kmsg.Request {
	return &AlterClientConfigsRequest{Version: r.Version, key: r.key}
}

// AppendTo appends the response body to dst.
func (r *AlterClientConfigsResponse) AppendTo(dst []byte) []byte {
	dst = kbin.AppendInt32(dst, r.ThrottleMillis)
	dst = kbin.AppendArrayLen(dst, len(r.Entries))
	for _, e := range r.Entries {
		dst = kbin.AppendInt16(dst, e.ErrorCode)
		dst = appendMessage(dst, e.ErrorMessage)
		dst = appendEntity(dst, e.Entity)
	}
	return dst
}

// ReadFrom reads a response body. On an error the response is unchanged.
func (r *AlterClientConfigsResponse) ReadFrom(src []byte) error {
	b := newReader("AlterClientConfigsResponse", src)
	got := AlterClientConfigsResponse{Version: r.Version, key: r.key}
	got.ThrottleMillis = b.Int32()
	got.Entries = readArray(b, "Entries", minAlterResult, func() AlterResult {
		return AlterResult{
			ErrorCode:    b.Int16(),
			ErrorMessage: b.nullableString("ErrorMessage"),
			Entity:       readEntity(b),
		}
	})
	if err := b.complete(); err != nil {
		return err
	}
	*r = got
	return nil
}
