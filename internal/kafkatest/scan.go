package kafkatest

import (
	"fmt"
	"os"
	"strings"
)

// scan calls f for each line of a log that all nodes keep. A line that is not
// complete yet comes with the next scan.
func (c *Cluster) scan(name string, f func(n *node, line string) error) error {
	for _, n := range c.nodes {
		text, err := os.ReadFile(n.file(name))
		if err != nil {
			return fmt.Errorf("kafkatest: node %d: %w", n.id, err)
		}
		for line := range strings.Lines(string(text)) {
			line, complete := strings.CutSuffix(line, "\n")
			if !complete {
				break
			}
			if err := f(n, line); err != nil {
				return fmt.Errorf("node %d: %w", n.id, err)
			}
		}
	}
	return nil
}
