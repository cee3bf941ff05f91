package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

// alterGolden is what the golden files of AlterClientConfigs say.
func alterGolden() map[string]map[string]body {
	p := kcfg.DefaultProtocol()
	request := func(r AlterClientConfigsRequest) body {
		r.key = p.AlterClientConfigsKey
		return &r
	}
	response := func(r AlterClientConfigsResponse) body {
		r.key = p.AlterClientConfigsKey
		return &r
	}
	return map[string]map[string]body{
		"AlterClientConfigsRequest": {
			"901_alter_client_configs_request": request(AlterClientConfigsRequest{
				Entries: []AlterEntry{{
					Entity: []kcfg.EntityPart{{Type: "user", Name: new("alice")}},
					Ops:    []kcfg.Op{kcfg.Set("acks", "1"), kcfg.Remove("session.timeout.ms")},
				}, {
					Entity: []kcfg.EntityPart{{Type: "client-id"}, {Type: "user", Name: new("")}},
				}},
			}),
			"901_alter_client_configs_request_empty": request(AlterClientConfigsRequest{ValidateOnly: true}),
		},
		"AlterClientConfigsResponse": {
			"901_alter_client_configs_response": response(AlterClientConfigsResponse{
				ThrottleMillis: 7,
				Entries: []AlterResult{
					{Entity: []kcfg.EntityPart{{Type: "user", Name: new("alice")}}},
					{ErrorCode: 44, ErrorMessage: new("acks=0 is not for you"), Entity: []kcfg.EntityPart{{Type: "user"}, {Type: "client-id", Name: new("")}}},
				},
			}),
			"901_alter_client_configs_response_empty": response(AlterClientConfigsResponse{}),
		},
	}
}

func TestALongMessageOfAnAlterationIsCut(t *testing.T) {
	r := NewAlterClientConfigsResponse(kcfg.DefaultProtocol())
	r.Entries = []AlterResult{{ErrorCode: 44, ErrorMessage: new(strings.Repeat("m", MaxStringLen+1))}}
	got := NewAlterClientConfigsResponse(kcfg.DefaultProtocol())
	require.NoError(t, got.ReadFrom(r.AppendTo(nil)))
	assert.Len(t, *got.Entries[0].ErrorMessage, MaxStringLen)
}
