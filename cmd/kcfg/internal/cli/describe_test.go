package cli

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestQuotasAreDescribedOnAClusterThatHasNoDynamicConfigurations(t *testing.T) {
	_, flags := broker(t)
	for _, args := range [][]string{{"--user", "alice"}, {"--entity-type", "users"}, {"--entity-type", "clients"}} {
		args = append(append(flags, "describe"), args...)
		assert.Equal(t, "Nothing is set.\n"+notSetUp+"\n", ok(t, args...))
	}
	ok(t, append(flags, "alter", "--user", "alice", "set", "producer_byte_rate=1")...)
	r := run(t, append(flags, "describe", "--user", "alice")...)
	assert.Equal(t, codeOK, r.code)
	assert.Contains(t, r.out, "producer_byte_rate")
	assert.Contains(t, r.out, notSetUp)
	assert.Empty(t, r.err)
	var doc told
	require.NoError(t, json.Unmarshal([]byte(ok(t, append(flags, "describe", "--user", "alice", "-o", "json")...)), &doc))
	assert.True(t, doc.DynamicNotSetUp)
	assert.Empty(t, doc.Errors)
	for _, chosen := range [][]string{{"--transport", "topics"}, {"--transport", "rpc"}, {"--dynamic-topic", "mine"}} {
		r := run(t, append(append(flags, "describe", "--user", "alice"), chosen...)...)
		assert.Equal(t, codeFailed, r.code, "%q is what the user wants to know about", chosen)
		assert.NotContains(t, r.out, notSetUp)
	}
}

func TestTopicsThatAreDamagedAreNoClusterWithoutDynamicConfigurations(t *testing.T) {
	c, flags := broker(t)
	_, err := kadminOf(t, c).CreateTopic(soon(t), 12, 1, nil, "_kcfg_dynamic_configs")
	require.NoError(t, err)
	r := run(t, append(flags, "describe", "--user", "alice")...)
	assert.Equal(t, codeFailed, r.code)
	assert.Contains(t, r.err, "no header")
}

// refuseLists makes the broker refuse to list the next resources that have configurations.
func refuseLists(c *fakebroker.Cluster, code int16) {
	c.Kfake().ControlKey(int16(kmsg.ListConfigResources), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.ListConfigResourcesResponse)
		resp.ErrorCode = code
		return resp, nil, true
	})
}

func TestGroupsThatMayNotBeListedAreAFailure(t *testing.T) {
	c, flags := broker(t)
	for _, kind := range []string{"groups", "client-metrics"} {
		refuseLists(c, kerr.ClusterAuthorizationFailed.Code)
		r := run(t, append(flags, "describe", "--entity-type", kind)...)
		assert.Equal(t, codeNotAllowed, r.code, kind)
		assert.Empty(t, r.out)
		assert.Contains(t, r.err, "ListConfigResources")
		assert.Contains(t, r.err, "DescribeConfigs on cluster")
	}

	_, flags = broker(t)
	ok(t, append(flags, "describe", "--entity-type", "groups")...)
}

func TestGroupsAreDescribedAsFarAsTheyAreKnown(t *testing.T) {
	c, flags := broker(t, fakebroker.Topics(1, "orders"))
	var offsets kadm.Offsets
	offsets.AddOffset("orders", 0, 0, -1)
	require.NoError(t, kadminOf(t, c).CommitAllOffsets(soon(t), "clerks", offsets))
	ok(t, append(flags, "alter", "--group", "clerks", "set", "consumer.session.timeout.ms=50000")...)
	for code, want := range map[int16]int{kerr.ClusterAuthorizationFailed.Code: codeFailed, kerr.UnsupportedVersion.Code: codeOK} {
		refuseLists(c, code)
		r := run(t, append(flags, "describe", "--entity-type", "groups")...)
		assert.Equal(t, want, r.code, r.err)
		assert.Contains(t, r.out, "50000")
	}
}

func TestADryRunOfWhatTheUserMayNotDoIsNotAuthorized(t *testing.T) {
	_, flags := broker(t, fakebroker.Topics(1, "orders"), fakebroker.Grants())
	for _, args := range [][]string{{"--topic", "orders", "set", "retention.ms=1"}, {"--broker", "0", "set", "log.cleaner.threads=2"}} {
		r := run(t, append(append(flags, "alter", "--dry-run"), args...)...)
		assert.Equal(t, codeNotAllowed, r.code, "%q", args)
		assert.Contains(t, r.out, "would fail")
		assert.Contains(t, r.err, "AlterConfigs on")
		assert.Contains(t, r.err, "what is set now is not known")
	}
}
