package kafkatest

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPropertiesAreSortedAndEscaped(t *testing.T) {
	assert.Equal(t, "a=plain = value: #1\nb=back\\\\slash\nc=two\\nlines\\r\\tand a tab\nd=\\  spaces \ne=\n",
		renderProperties(map[string]string{
			"e": "",
			"d": "  spaces ",
			"c": "two\nlines\r\tand a tab",
			"b": `back\slash`,
			"a": "plain = value: #1",
		}))
}

func threeNodes() []*node {
	var nodes []*node
	for id := 1; id <= 3; id++ {
		nodes = append(nodes, &node{
			id: id, dir: fmt.Sprintf("dir%d", id), keystore: "store.pem",
			ports: ports{plain: 100 + id, sasl: 200 + id, ssl: 300 + id, controller: 400 + id},
		})
	}
	return nodes
}

func TestNodeListensOnItsOwnPortsAndKnowsAllVoters(t *testing.T) {
	nodes := threeNodes()
	props := serverProperties(nodes, nodes[1], nil)
	clients := "PLAINTEXT://127.0.0.1:102,SASL_PLAINTEXT://127.0.0.1:202,SSL://127.0.0.1:302"
	assert.Equal(t, "2", props["node.id"])
	assert.Equal(t, clients, props["advertised.listeners"])
	assert.Equal(t, clients+",CONTROLLER://127.0.0.1:402", props["listeners"])
	assert.Equal(t, "1@127.0.0.1:401,2@127.0.0.1:402,3@127.0.0.1:403", props["controller.quorum.voters"])
	assert.Equal(t, nodes[1].file("data"), props["log.dirs"])
	assert.Equal(t, "store.pem", props["listener.name.ssl.ssl.keystore.location"])
}

func TestOptionsOverrideTheServersConfiguration(t *testing.T) {
	nodes := threeNodes()
	props := serverProperties(nodes, nodes[0], map[string]string{
		"offsets.topic.num.partitions": "7",
		"message.max.bytes":            "1000",
	})
	assert.Equal(t, "7", props["offsets.topic.num.partitions"])
	assert.Equal(t, "1000", props["message.max.bytes"])
	assert.Equal(t, "3", small["offsets.topic.num.partitions"])
}

func TestOnlyAdminAndAnonymousAreSuperusers(t *testing.T) {
	props := security("store.pem")
	assert.Equal(t, "User:ANONYMOUS;User:admin", props["super.users"])
	assert.Equal(t, "false", props["allow.everyone.if.no.acl.found"])
	for _, user := range users {
		assert.Contains(t, props["listener.name.sasl_plaintext.plain.sasl.jaas.config"],
			fmt.Sprintf(" user_%s=%q", user, Password(user)))
	}
}

func TestClusterIDIsNoOption(t *testing.T) {
	for range 1000 {
		assert.Regexp(t, "^[A-Za-z][A-Za-z0-9_-]{21}$", clusterID())
	}
}

func TestFreePortsAreDifferentAndBelowTheOutgoingOnes(t *testing.T) {
	ports, err := freePorts(12)
	require.NoError(t, err)
	require.Len(t, ports, 12)
	seen := make(map[int]bool)
	for _, port := range ports {
		assert.False(t, seen[port], "%d is there twice", port)
		seen[port] = true
		assert.GreaterOrEqual(t, port, lowestPort)
		assert.Less(t, port, highestPort)

		l, err := net.Listen("tcp", addr(port))
		require.NoError(t, err, "it was not let go")
		l.Close()
	}
}

func TestEnvironmentAsksForKafka(t *testing.T) {
	for _, tt := range []struct {
		env, version string
		asked        bool
	}{
		{"", "", false},
		{"REQUIRE_KAFKA=1", DefaultVersion, true},
		{"REQUIRE_KAFKA=0", "", false},
		{"KCFG_KAFKA=3.9.2", "3.9.2", true},
		{"KCFG_KAFKA=3.9.2 REQUIRE_KAFKA=1", "3.9.2", true},
		{"KCFG_KAFKA= REQUIRE_KAFKA=1", DefaultVersion, true},
	} {
		version, asked := askedFor(func(name string) string {
			for set := range strings.FieldsSeq(tt.env) {
				if value, ok := strings.CutPrefix(set, name+"="); ok {
					return value
				}
			}
			return ""
		})
		assert.Equal(t, tt.version, version, tt.env)
		assert.Equal(t, tt.asked, asked, tt.env)
	}
}
