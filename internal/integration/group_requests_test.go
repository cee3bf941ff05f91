package integration_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// logPoll is how often a condition on the request logs is looked at, which are
// read as a whole each time.
const logPoll = 4 * poll

// joinSeen is a JoinGroup that a coordinator answered.
type joinSeen struct {
	node       int
	session    int32
	code       int16
	generation int32
}

// joins returns the JoinGroup requests with a client id, but not those in which a
// new member asks for its id.
func joins(t *testing.T, c *kafkatest.Cluster, clientID string) []joinSeen {
	t.Helper()
	var out []joinSeen
	for _, r := range requestsOf(t, c, clientID, "JOIN_GROUP") {
		var asked struct {
			Session int32 `json:"sessionTimeoutMs"`
		}
		var answered struct {
			Code       int16 `json:"errorCode"`
			Generation int32 `json:"generationId"`
		}
		require.NoError(t, json.Unmarshal(r.Body, &asked))
		require.NoError(t, json.Unmarshal(r.Response, &answered))
		if answered.Code != memberIDRequired {
			out = append(out, joinSeen{r.Node, asked.Session, answered.Code, answered.Generation})
		}
	}
	return out
}

// memberIDRequired is the error code with which a coordinator hands out a member id.
const memberIDRequired = 79

// requestsOf returns the requests with a client id that have this name.
func requestsOf(t *testing.T, c *kafkatest.Cluster, clientID, name string) []kafkatest.Request {
	t.Helper()
	all, err := c.Requests(clientID)
	require.NoError(t, err)
	var out []kafkatest.Request
	for _, r := range all {
		if r.Name == name {
			out = append(out, r)
		}
	}
	return out
}

// logged waits until the request logs have something, which they get after the
// answer was sent.
func logged(t *testing.T, condition func() bool, what string) {
	t.Helper()
	require.Eventually(t, condition, patience, logPoll, what)
}

// joinedWith waits until the log has n joins that began a generation, and returns
// their session timeouts.
func (g *memberGroup) joinedWith(t *testing.T, generation int32, n int) []int32 {
	t.Helper()
	var sessions []int32
	logged(t, func() bool {
		sessions = nil
		for _, j := range joins(t, g.c, g.id) {
			if j.code == 0 && j.generation == generation {
				sessions = append(sessions, j.session)
			}
		}
		return len(sessions) >= n
	}, "the joins are in the log")
	return sessions
}
