package fakebroker

// AnyNode stands for all brokers where a node id is asked for.
const AnyNode int32 = -1

// traffic counts what came to one broker.
type traffic struct {
	connections int
	requests    map[int16]int
	acks        map[int16]int
}

func newTraffic(n int) []traffic {
	out := make([]traffic, n)
	for i := range out {
		out[i] = traffic{requests: make(map[int16]int), acks: make(map[int16]int)}
	}
	return out
}

// Count returns how many requests with an API key, ours or Kafka's, came to a
// broker or to AnyNode, whatever became of them.
func (c *Cluster) Count(node int32, key int16) int {
	n := 0
	c.each(node, func(t traffic) { n += t.requests[key] })
	return n
}

// Connections returns how many TCP connections a broker, or AnyNode, accepted.
func (c *Cluster) Connections(node int32) int {
	n := 0
	c.each(node, func(t traffic) { n += t.connections })
	return n
}

// Acks returns how many Produce requests came to a broker, or to AnyNode, with
// each value of acks.
func (c *Cluster) Acks(node int32) map[int16]int {
	out := make(map[int16]int)
	c.each(node, func(t traffic) {
		for acks, n := range t.acks {
			out[acks] += n
		}
	})
	return out
}

func (c *Cluster) each(node int32, fn func(traffic)) {
	c.record.mu.Lock()
	defer c.record.mu.Unlock()
	for id, t := range c.record.nodes {
		if node == AnyNode || node == int32(id) {
			fn(t)
		}
	}
}
