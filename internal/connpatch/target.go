package connpatch

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
)

// candidate is a node as a place to send a request of ours to.
type candidate struct {
	node     int32
	addr     string
	supports bool // it proved to mean the RPC
	open     bool // its normal connection is open
	busy     bool // something is unanswered on it
	ours     bool // something of ours is
	critical bool // it carries group or transaction traffic
	avoid    bool // the caller would rather have another
}

// seed reports whether the node is one of kgo's seeds, which have ids of their
// own and connections apart from those of the broker that they lead to.
func (c candidate) seed() bool { return c.node < 0 }

// rank orders places by how little a request of ours stands in the way there:
// the lower, the better. A negative rank is no place at all.
//
// Seeds come first, since nothing of the application but a rare metadata request
// goes to them; then open connections before ones that would have to be made.
// Connections with group or transaction traffic are never used: a broker that is
// slow to answer ours would delay a heartbeat or a commit.
func rank(c candidate) int {
	var r int
	switch {
	case !c.supports || c.critical || c.ours:
		return -1
	case c.seed() && c.open && !c.busy:
		r = 0
	case c.open && !c.busy:
		r = 1
	case c.seed() && c.open:
		r = 2
	case c.seed():
		r = 3
	case !c.open:
		r = 4
	default:
		r = 5
	}
	if c.avoid {
		r += 10
	}
	return r
}

// Target returns the node to which a request of ours with the given key goes
// best, and false if there is none now. The nodes to avoid are taken only if
// there is no other, and so are those that lead to the same place: a broker is
// known to kgo by its id and, apart from that, as a seed.
func (m *Manager) Target(key int16, avoid ...int32) (int32, bool) {
	best := -1
	var nodes []int32
	all := m.candidates(key)
	places := placesOf(all, avoid)
	for _, c := range all {
		c.avoid = slices.Contains(avoid, c.node) || slices.Contains(places, c.addr)
		switch r := rank(c); {
		case r < 0 || best >= 0 && r > best:
		case r == best:
			nodes = append(nodes, c.node)
		default:
			best, nodes = r, append(nodes[:0], c.node)
		}
	}
	if best < 0 {
		return 0, false
	}
	return nodes[rand.IntN(len(nodes))], true
}

// placesOf returns where the nodes with these ids are, as far as that is known.
func placesOf(all []candidate, ids []int32) []string {
	var out []string
	for _, c := range all {
		if c.addr != "" && slices.Contains(ids, c.node) {
			out = append(out, c.addr)
		}
	}
	return out
}

// candidates returns every known node, by ascending id.
func (m *Manager) candidates(key int16) []candidate {
	m.mu.Lock()
	nodes := make(map[int32]*candidate, len(m.nodes))
	for id, n := range m.nodes {
		nodes[id] = &candidate{node: id, addr: n.addr, supports: n.proved.has(m.proto, key)}
	}
	conns := slices.Collect(maps.Keys(m.conns))
	m.mu.Unlock()

	for _, c := range conns {
		c.addTo(nodes)
	}
	out := make([]candidate, 0, len(nodes))
	for _, c := range nodes {
		out = append(out, *c)
	}
	slices.SortFunc(out, func(a, b candidate) int { return cmp.Compare(a.node, b.node) })
	return out
}

// addTo adds what the connection is used for to its node. Group and transaction
// traffic counts wherever it is seen: it has its own connection for JoinGroup,
// but its heartbeats and commits are, or soon will be, on the normal one.
func (c *Conn) addTo(nodes map[int32]*candidate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := nodes[c.node]
	if !c.known || n == nil {
		return
	}
	n.critical = n.critical || c.used&(trafficGroup|trafficTxn) != 0
	if c.used&trafficNormal == 0 {
		return
	}
	n.open = true
	n.busy = n.busy || c.waiting.len() > 0
	n.ours = n.ours || c.waiting.ours > 0
}
