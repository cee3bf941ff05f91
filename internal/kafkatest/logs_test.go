package kafkatest

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	requestLog = `Completed request:{"isForwarded":false,"requestHeader":{"requestApiKey":3,"requestApiVersion":13,` +
		`"correlationId":1,"clientId":"a \"quoted\" id","requestApiKeyName":"METADATA"},"request":{"topics":[]},` +
		`"response":{"brokers":[]},"connection":"127.0.0.1:1-127.0.0.1:2-0-0","totalTimeMs":36.153,` +
		`"securityProtocol":"SASL_PLAINTEXT","principal":"User:alice","listener":"SASL_PLAINTEXT"}`
	decisionLog = `Principal = User:alice is Denied operation = DESCRIBE from host = 127.0.0.1 on resource = ` +
		`Topic:LITERAL:orders for request = Metadata with resourceRefCount = 1 based on rule DefaultDeny`
)

// logged returns a cluster of two nodes that does not run, with the same lines in
// the logs of both.
func logged(t *testing.T, name string, lines ...string) *Cluster {
	t.Helper()
	c := &Cluster{}
	for id := 1; id <= 2; id++ {
		n := &node{id: id, dir: t.TempDir()}
		write(t, n.dir, name, strings.Join(lines, "\n"))
		c.nodes = append(c.nodes, n)
	}
	return c
}

func TestRequestsAreThoseOfOneClient(t *testing.T) {
	const id = `a "quoted" id`
	others := strings.ReplaceAll(requestLog, `a \"quoted\" id`, "other")
	c := logged(t, "requests.log", others, requestLog, requestLog[:50])
	requests, err := c.Requests(id)
	require.NoError(t, err)
	require.Len(t, requests, 2, "one of each node; the last line is not complete")
	for i, r := range requests {
		assert.JSONEq(t, `{"topics":[]}`, string(r.Body))
		assert.JSONEq(t, `{"brokers":[]}`, string(r.Response))
		r.Body, r.Response = nil, nil
		assert.Equal(t, Request{
			Node: i + 1, Key: 3, Name: "METADATA", Version: 13,
			ClientID: id, Principal: "User:alice", Listener: "SASL_PLAINTEXT",
		}, r)
	}
}

func TestDecisionsAreThoseAboutOnePrincipal(t *testing.T) {
	others := strings.ReplaceAll(decisionLog, "User:alice", "User:alice2")
	allowed := strings.ReplaceAll(decisionLog, "Denied", "Allowed")
	c := logged(t, "decisions.log", others, decisionLog, allowed, "")
	decisions, err := c.Decisions("User:alice")
	require.NoError(t, err)
	require.Len(t, decisions, 4)
	want := Decision{
		Node: 2, Principal: "User:alice", Allowed: false, Operation: "DESCRIBE",
		Resource: "Topic:LITERAL:orders", Request: "Metadata", Rule: "DefaultDeny",
	}
	assert.Equal(t, want, decisions[2])
	want.Allowed = true
	assert.Equal(t, want, decisions[3])
}

func TestLinesOfAnotherFormAreErrors(t *testing.T) {
	for _, line := range []string{"", `Completed request:{"clientId":"x"`, `{"clientId":"x"}`} {
		_, err := parseRequest(line)
		require.Error(t, err, "%q", line)
	}
	for _, line := range []string{"", "Principal = User:alice is Denied"} {
		_, err := parseDecision(line)
		require.Error(t, err, "%q", line)
	}
	_, err := logged(t, "requests.log", `"clientId":"x"`, "").Requests("x")
	require.ErrorContains(t, err, "node 1")
	_, err = logged(t, "decisions.log", "Principal = User:x is late", "").Decisions("User:x")
	require.ErrorContains(t, err, "node 1")
}

func TestFailedStartSaysWhyAndShowsTheLog(t *testing.T) {
	cause := errors.New("it exited")
	n := &node{id: 7, dir: t.TempDir()}
	write(t, n.dir, "server.log", "no such class\n")
	err := n.failed(cause)
	require.ErrorIs(t, err, cause)
	require.NotErrorIs(t, err, errPortTaken)
	require.ErrorContains(t, err, "node 7")
	require.ErrorContains(t, err, "no such class")

	write(t, n.dir, "server.log", "java.net.BindException: Address already in use\n"+strings.Repeat("and so on\n", 100))
	err = n.failed(cause)
	require.ErrorIs(t, err, cause)
	require.ErrorIs(t, err, errPortTaken)
}

func TestTailIsTheEnd(t *testing.T) {
	var all []string
	for i := range 100 {
		all = append(all, strconv.Itoa(i))
	}
	assert.Equal(t, strings.Join(all[60:], "\n"), tail(strings.Join(all, "\n")+"\n"))
	assert.Equal(t, "short", tail("short\n"))
	assert.Empty(t, tail(""))
}
