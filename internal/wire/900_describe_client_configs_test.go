package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
)

// describeGolden is what the golden files of DescribeClientConfigs say.
func describeGolden() map[string]map[string]body {
	p := kcfg.DefaultProtocol()
	request := func(r DescribeClientConfigsRequest) body {
		r.key = p.DescribeClientConfigsKey
		return &r
	}
	response := func(r DescribeClientConfigsResponse) body {
		r.key = p.DescribeClientConfigsKey
		return &r
	}
	return map[string]map[string]body{
		"DescribeClientConfigsRequest": {
			"900_describe_client_configs_request": request(DescribeClientConfigsRequest{
				Components:       []DescribeComponent{{EntityType: "client-id", Match: new("orders")}},
				SupportedConfigs: []string{"acks", "heartbeat.interval.ms", "session.timeout.ms"},
				ResolveEntity:    true,
				Strict:           true,
			}),
			"900_describe_client_configs_request_admin": request(DescribeClientConfigsRequest{
				Components: []DescribeComponent{
					{EntityType: "user", Match: new("caf\u00e9 \u65e5\u672c")},
					{EntityType: "client-id", Match: new("")},
					{EntityType: "user", MatchType: 1},
					{EntityType: "client-id", MatchType: 2},
				},
				Strict: true,
			}),
			"900_describe_client_configs_request_empty": request(DescribeClientConfigsRequest{
				SupportedConfigs: []string{},
				ResolveEntity:    true,
			}),
		},
		"DescribeClientConfigsResponse": {
			"900_describe_client_configs_response": response(DescribeClientConfigsResponse{
				Entries: []DescribeEntry{{
					Entity: []kcfg.EntityPart{{Type: "user", Name: new("alice")}, {Type: "client-id", Name: new("orders")}},
					Values: []kcfg.KeyValue{{Key: "acks", Value: "1"}, {Key: "session.timeout.ms", Value: "30000"}},
				}, {
					Entity: []kcfg.EntityPart{{Type: "user"}, {Type: "client-id", Name: new("")}},
					Values: []kcfg.KeyValue{{Key: "acks"}},
				}},
			}),
			"900_describe_client_configs_response_error": response(DescribeClientConfigsResponse{
				ThrottleMillis: 1500, ErrorCode: 31, ErrorMessage: new("no"),
			}),
			"900_describe_client_configs_response_empty": response(DescribeClientConfigsResponse{
				ThrottleMillis: -1, ErrorCode: -1, ErrorMessage: new(""), Entries: []DescribeEntry{},
			}),
		},
	}
}

func TestNullAndEmptyAreTwoThingsInDescribe(t *testing.T) {
	r := NewDescribeClientConfigsRequest(kcfg.DefaultProtocol())
	null := r.AppendTo(nil)
	r.SupportedConfigs = []string{}
	empty := r.AppendTo(nil)
	assert.NotEqual(t, null, empty)
	require.NoError(t, r.ReadFrom(null))
	assert.Nil(t, r.SupportedConfigs)
	require.NoError(t, r.ReadFrom(empty))
	assert.NotNil(t, r.SupportedConfigs)
	assert.Empty(t, r.SupportedConfigs)

	answer := NewDescribeClientConfigsResponse(kcfg.DefaultProtocol())
	require.NoError(t, answer.ReadFrom(golden(t, "900_describe_client_configs_response_error")))
	assert.Nil(t, answer.Entries)
	require.NoError(t, answer.ReadFrom(golden(t, "900_describe_client_configs_response_empty")))
	assert.NotNil(t, answer.Entries)
	assert.Empty(t, answer.Entries)

	require.NoError(t, answer.ReadFrom(golden(t, "900_describe_client_configs_response")))
	assert.Nil(t, answer.Entries[1].Entity[0].Name, "the default")
	assert.Empty(t, *answer.Entries[1].Entity[1].Name, "a name without characters")
}
