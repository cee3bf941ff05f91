package client_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// trace is what the programs of a scenario saw: the lines of each in their order,
// and those of different programs apart, since these run at the same time.
type trace struct {
	mu    sync.Mutex
	names []string
	notes map[string][]string
}

func (tr *trace) note(name, format string, args ...any) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.notes == nil {
		tr.notes = make(map[string][]string)
	}
	if !slices.Contains(tr.names, name) {
		tr.names = append(tr.names, name)
	}
	tr.notes[name] = append(tr.notes[name], name+": "+fmt.Sprintf(format, args...))
}

// lines returns the trace, sorted by program.
func (tr *trace) lines() (out []string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, name := range slices.Sorted(slices.Values(tr.names)) {
		out = append(out, tr.notes[name]...)
	}
	return out
}

// class tells an error by the sentinels that errors.Is finds in it, which is all
// that a program may look at.
func class(err error) string {
	if err == nil {
		return "no error"
	}
	var names []string
	for name, sentinel := range map[string]error{
		"UNKNOWN_TOPIC_OR_PARTITION": kerr.UnknownTopicOrPartition, "MESSAGE_TOO_LARGE": kerr.MessageTooLarge,
		"UNKNOWN_MEMBER_ID": kerr.UnknownMemberID, "ILLEGAL_GENERATION": kerr.IllegalGeneration,
		"REBALANCE_IN_PROGRESS": kerr.RebalanceInProgress, "NOT_LEADER": kerr.NotLeaderForPartition,
		"TOPIC_AUTHORIZATION_FAILED": kerr.TopicAuthorizationFailed, "FENCED_INSTANCE_ID": kerr.FencedInstanceID,
		"NOT_ENOUGH_REPLICAS": kerr.NotEnoughReplicas, "INVALID_SESSION_TIMEOUT": kerr.InvalidSessionTimeout,
		"aborting": kgo.ErrAborting, "max buffered": kgo.ErrMaxBuffered,
		"record retries": kgo.ErrRecordRetries, "client closed": kgo.ErrClientClosed,
		"canceled": context.Canceled, "deadline": context.DeadlineExceeded,
	} {
		if errors.Is(err, sentinel) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("another error: %T %v", err, err)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// traceDiff returns all lines, those that are only in the first trace with a minus
// and those that are only in the second with a plus, or nothing if they are equal.
func traceDiff(a, b []string) string {
	if slices.Equal(a, b) {
		return ""
	}
	// common[i][j] is how many lines a[i:] and b[j:] have in common, in order.
	common := make([][]int, len(a)+1)
	common[len(a)] = make([]int, len(b)+1)
	for i := len(a) - 1; i >= 0; i-- {
		common[i] = make([]int, len(b)+1)
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var out strings.Builder
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			fmt.Fprintf(&out, "  %s\n", a[i])
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			fmt.Fprintf(&out, "- %s\n", a[i])
			i++
		default:
			fmt.Fprintf(&out, "+ %s\n", b[j])
			j++
		}
	}
	return out.String()
}

func TestADiffOfTracesShowsWhatIsMissingMoreAndInAnotherOrder(t *testing.T) {
	split := strings.Fields
	for _, tt := range []struct{ a, b, want string }{
		{"", "", ""},
		{"x y", "x y", ""},
		{"x y z", "x z", "  x\n- y\n  z\n"},
		{"x z", "x y z", "  x\n+ y\n  z\n"},
		{"x y", "y x", "- x\n  y\n+ x\n"},
		{"x", "", "- x\n"},
		{"", "y", "+ y\n"},
		{"x", "y", "- x\n+ y\n"},
	} {
		assert.Equal(t, tt.want, traceDiff(split(tt.a), split(tt.b)), "%q %q", tt.a, tt.b)
	}
}

func TestATraceKeepsTheOrderOfEachProgram(t *testing.T) {
	var tr trace
	tr.note("b", "%d", 1)
	tr.note("a", "%d", 2)
	tr.note("b", "%d", 3)
	assert.Equal(t, []string{"a: 2", "b: 1", "b: 3"}, tr.lines())
	assert.Equal(t, "UNKNOWN_MEMBER_ID", class(fmt.Errorf("so: %w", kerr.UnknownMemberID)))
	assert.Equal(t, "no error", class(nil))
	assert.Contains(t, class(assert.AnError), "another error")
}
