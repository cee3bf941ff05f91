package kafkatest

import (
	"fmt"
	"regexp"
	"strings"
)

// A Decision is what the authorizer of a node said to one operation on one
// resource.
type Decision struct {
	Node      int
	Principal string // User:alice
	Allowed   bool
	Operation string // DESCRIBE
	Resource  string // Topic:LITERAL:orders
	Request   string // Metadata
	Rule      string // DefaultDeny, SuperUser, or the ACL
}

// Decisions returns what the authorizers decided about this principal, such as
// "User:alice", by node and in order.
func (c *Cluster) Decisions(principal string) ([]Decision, error) {
	mark := "Principal = " + principal + " is "
	var decisions []Decision
	err := c.scan("decisions.log", func(n *node, line string) error {
		if !strings.HasPrefix(line, mark) {
			return nil
		}
		d, err := parseDecision(line)
		if err == nil {
			d.Node = n.id
			decisions = append(decisions, d)
		}
		return err
	})
	return decisions, err
}

var decisionLine = regexp.MustCompile(`^Principal = (\S+) is (Allowed|Denied) operation = (\S+) ` +
	`from host = \S+ on resource = (.+) for request = (\S+) with resourceRefCount = \d+ based on rule (.+)$`)

// parseDecision reads a line of kafka.authorizer.logger.
func parseDecision(line string) (Decision, error) {
	m := decisionLine.FindStringSubmatch(line)
	if m == nil {
		return Decision{}, fmt.Errorf("kafkatest: not a line of the authorizer log: %.80q", line)
	}
	return Decision{
		Principal: m[1],
		Allowed:   m[2] == "Allowed",
		Operation: m[3],
		Resource:  m[4],
		Request:   m[5],
		Rule:      m[6],
	}, nil
}
