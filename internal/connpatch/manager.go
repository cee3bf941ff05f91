package connpatch

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/kcfg-go/kcfg"
)

// DialFunc is the form of kgo.Dialer.
type DialFunc func(ctx context.Context, network, host string) (net.Conn, error)

// node is what is known of one of kgo's brokers.
type node struct {
	proved support
	addr   string // that its last connection was made to
}

// Manager is what the connections of one client have in common. Its zero value
// is not usable; see NewManager.
type Manager struct {
	proto kcfg.Protocol
	keys  [3]int16
	dial  DialFunc

	produced atomic.Bool
	onUse    func()

	counts counters

	patches   atomic.Pointer[Patches]
	setting   sync.Mutex // held while patches are set
	hold      atomic.Pointer[joinHold]
	seen      seen
	onObserve atomic.Pointer[func()]
	onCorrupt atomic.Pointer[func()]
	group     group
	scratch   sync.Pool
	closed    chan struct{}
	isClosed  bool // with setting

	mu    sync.Mutex
	conns map[*Conn]struct{}
	nodes map[int32]node // by node id, seeds among them
}

// NewManager returns a manager for connections that dial makes. onProduce, if
// not nil, is called once, when the first Produce request is written; it must
// not block.
func NewManager(p kcfg.Protocol, dial DialFunc, onProduce func()) *Manager {
	return &Manager{
		proto: p,
		keys:  p.Keys(),
		dial:  dial,
		onUse: onProduce,
		conns: make(map[*Conn]struct{}),
		nodes: make(map[int32]node),

		group:  group{kick: make(chan struct{}, 1)},
		closed: make(chan struct{}),
	}
}

// SetPatches sets what frames leave with from now on; nil changes nothing. The
// patches must not be written to any more. What they say of session timeouts is
// for the next JoinGroup, which SetPatches does not cause.
func (m *Manager) SetPatches(ps *Patches) {
	m.setting.Lock()
	if m.isClosed {
		m.setting.Unlock()
		return
	}
	before := m.patches.Swap(ps)
	m.startBeats()
	m.setting.Unlock()
	if !sameValue(patchedSession(before), patchedSession(ps)) {
		m.observed(m.group.forgive(m))
	}
}

// Close ends what the manager does: nothing is patched, held or answered here
// any more, and a JoinGroup that is held leaves as kgo wrote it. It waits for the
// manager's goroutine. Connections stay open; they are the client's. It may be
// called twice.
func (m *Manager) Close() {
	m.setting.Lock()
	if !m.isClosed {
		m.isClosed = true
		m.patches.Store(nil)
		close(m.closed)
		m.group.end()
	}
	m.setting.Unlock()
	m.group.done.Wait()
}

// maxScratch is how much of a frame is copied to be patched. All that is patched
// is near the start, and it is the most that fits a TLS record.
const maxScratch = 16 << 10

func (m *Manager) getScratch() *[maxScratch]byte {
	if b, ok := m.scratch.Get().(*[maxScratch]byte); ok {
		return b
	}
	return new([maxScratch]byte)
}

// Dial makes a connection; it is what kgo.Dialer gets.
func (m *Manager) Dial(ctx context.Context, network, host string) (net.Conn, error) {
	inner, err := m.dial(ctx, network, host)
	if err != nil {
		return nil, err // as it is: kgo looks at the type
	}
	c := newConn(inner, m)
	c.addr = host
	m.mu.Lock()
	m.conns[c] = struct{}{}
	m.mu.Unlock()
	return c, nil
}

// Connected notes that kgo opened a connection to a node, with ApiVersions and
// SASL done. It returns false if the connection is none of this manager's.
func (m *Manager) Connected(id int32, conn net.Conn) bool {
	c := m.find(conn)
	if c == nil {
		return false
	}
	c.mu.Lock()
	c.node, c.known = id, true
	s := c.proved
	c.mu.Unlock()

	m.mu.Lock()
	m.nodes[id] = node{proved: s, addr: c.addr}
	m.mu.Unlock()
	return true
}

// Supports reports whether a node proved to mean the RPC when it was last
// connected to.
func (m *Manager) Supports(id int32, key int16) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.nodes[id].proved.has(m.proto, key)
}

// Supported reports whether any node proved to mean the RPC when it was last
// connected to.
func (m *Manager) Supported(key int16) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, n := range m.nodes {
		if n.proved.has(m.proto, key) {
			return true
		}
	}
	return false
}

// Produced reports whether a Produce request was written.
func (m *Manager) Produced() bool { return m.produced.Load() }

// find returns the Conn of this manager in a chain of wrapped connections, nil
// if there is none: a dialer of the application may wrap ours.
func (m *Manager) find(conn net.Conn) *Conn {
	for conn != nil {
		if c, ok := conn.(*Conn); ok && c.m == m {
			return c
		}
		w, ok := conn.(interface{ NetConn() net.Conn })
		if !ok {
			return nil
		}
		conn = w.NetConn()
	}
	return nil
}

func (m *Manager) remove(c *Conn) {
	m.mu.Lock()
	delete(m.conns, c)
	m.mu.Unlock()
}

func (m *Manager) ours(key int16) bool { return slices.Contains(m.keys[:], key) }

func (m *Manager) wrote(r request, kind traffic) {
	m.counts.requests.Add(1)
	if r.ours {
		m.counts.ours.Add(1)
	}
	if kind&trafficProduce != 0 && !m.produced.Load() && m.produced.CompareAndSwap(false, true) && m.onUse != nil {
		m.onUse()
	}
}
