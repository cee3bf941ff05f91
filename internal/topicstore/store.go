package topicstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// Config is what a Store works with.
type Config struct {
	Names Names
	// Dial makes the connections, as the application's client makes its own.
	Dial Dial
	// Seeds, if not nil, returns the client's seed brokers as they are now, if
	// they can be other ones than it was made with.
	Seeds func() []string
	// Principal is the user that this client is for the cluster, without "User:".
	// It decides whose configurations are read.
	// Without one, DescribeSelf does nothing but return an error.
	Principal *string
	// Validate, if not nil, says why an operator may not set a key to a value.
	Validate func(key, value string) error
	// Known, if not nil, reports whether a key is one that an operator may set.
	Known func(key string) bool
	// Record tells what this client says about itself besides its
	// configurations. It is required for Push.
	Record func() kcfg.ClientRecord
	// Log, if not nil, takes log lines.
	Log func(level kgo.LogLevel, msg string, keyvals ...any)
}

// Store is the transport over topics.
type Store struct {
	cl  *kgo.Client // the application's: only its options are used
	cfg Config

	reading sync.Mutex // one poll at a time
	mu      sync.Mutex // the rest
	reader  reader
	clients string // the id of the clients' topic, by the last header
	known   bool   // there was such a header
	pushed  string // the instance whose record may be in the topic

	pushedTo string // the id of the first topic that got one
	skipped  int    // records of the last poll that are not of the schema
}

// Skipped returns how many records that are not of the schema were in the
// partition that was read last.
func (s *Store) Skipped() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.skipped
}

// Remade returns the id of the clients' topic if it is another one than the first
// that got the record of this client, and else nothing.
func (s *Store) Remade() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known && s.pushedTo != "" && s.pushedTo != s.clients {
		return s.clients
	}
	return ""
}

var _ transport.Transport = (*Store)(nil)

// New returns the transport of a client. It connects to nothing before its first
// call, and needs no Close.
func New(cl *kgo.Client, cfg Config) *Store {
	return &Store{cl: cl, cfg: cfg}
}

// reader is what was read of the partition of this client's user.
type reader struct {
	topic [16]byte
	known bool
	table *table
	place place
	at    time.Time // of the last read that reached the end
}

// deleteRetention is how long a tombstone stays; see Setup. A reader that was away
// for half of that reads from the start, since it may have missed one.
const deleteRetention = 24 * time.Hour

// DescribeSelf reads what is set for this client. An error is never "nothing is
// set": what an earlier call returned still stands.
func (s *Store) DescribeSelf(ctx context.Context, clientID string, _ []string, _ ...int32) (transport.Told, error) {
	if s.cfg.Principal == nil {
		return transport.Told{}, errNoPrincipal
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	cl, err := s.session()
	if err != nil {
		return transport.Told{}, err
	}
	defer cl.Close()
	t, err := look(ctx, cl, s.cfg.Names.Dynamic)
	told := transport.Told{Pushed: transport.Pushed{Sent: true, Node: noNode}}
	if err != nil {
		return told, err
	}
	partition := partitionOf(*s.cfg.Principal)
	told.Node = t.leaders[partition]
	err = s.follow(ctx, cl, t, partition, clientID)
	if err != nil {
		return told, err
	}
	s.mu.Lock()
	s.clients, s.known = s.reader.table.header.Clients, true
	s.skipped = s.reader.table.skipped
	s.mu.Unlock()
	told.Entries = described(s.reader.table.values)
	return told, nil
}

const noNode int32 = -1

var errNoPrincipal = errors.New("topicstore: the name of the client's user is not known: give client.Principal")

// follow reads on where the last call ended, or from the start where that does
// not do.
func (s *Store) follow(ctx context.Context, cl *kgo.Client, t topic, partition int32, clientID string) error {
	r := s.reader
	if r.known && r.topic == t.id && time.Since(r.at) < deleteRetention/2 {
		err := s.readOn(ctx, cl, t, partition, &r)
		if !errors.Is(err, errRestart) {
			return err
		}
	}
	from, err := start(ctx, cl, t, partition)
	if err != nil {
		return err
	}
	r = reader{topic: t.id, known: true, place: from, table: newTable(s.mine(clientID))}
	if err := s.readOn(ctx, cl, t, partition, &r); !errors.Is(err, errRestart) {
		return err
	}
	return notSetUp(t.name, "partition %d is being truncated", partition)
}

// readOn reads to the end and keeps what was read, even where it is not to be
// believed: what is missing may come.
func (s *Store) readOn(ctx context.Context, cl *kgo.Client, t topic, partition int32, r *reader) error {
	to, end, err := readOn(ctx, cl, t, partition, r.place, r.table.apply)
	if errors.Is(err, errRestart) {
		return err
	}
	if err != nil {
		if to != r.place {
			s.reader = reader{} // what was read half of is read again
		}
		return err
	}
	r.place = to
	r.at = time.Now().Round(0) // of the wall: a machine that slept was away
	s.reader = *r
	if why := r.table.check(t, end); why != "" {
		return notSetUp(t.name, "%s", why)
	}
	return nil
}

// mine tells the configurations of this client from all others.
func (s *Store) mine(clientID string) func(tuple) bool {
	return func(t tuple) bool {
		return t.hasUser && t.user == *s.cfg.Principal && (!t.hasClient || t.client == clientID)
	}
}
