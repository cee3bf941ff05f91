package configdef

import (
	"sync"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// A Source reads the configurations of one client. It is safe for concurrent
// use.
type Source struct {
	client *kgo.Client
	opts   func(opt any) []any // OptValues of client
	limits atomic.Pointer[fetchLimits]
	seeds  atomic.Pointer[[]string] // nil unless they were changed

	refOnce   sync.Once
	refOpts   func(opt any) []any
	refLimits fetchLimits

	loggedMu sync.Mutex
	logged   map[string]bool // keys whose fault was logged
}

// A Skip is a key that a client has a value for and that is left out all the
// same, for a reason that somebody should hear of.
type Skip struct {
	Key    string
	Reason string // never shows the value
}

// NewSource returns the Source of a client. It reads FetchMaxBytes and
// FetchMaxPartitionBytes, which kgo lets change while it lets nobody read them
// safely; so it is called before anybody may call UpdateFetchMaxBytes, at best
// in OnNewClient. All else is read when it is asked for: at the time of
// OnNewClient, kgo has not settled some options.
func NewSource(cl *kgo.Client) *Source {
	s := newSource(cl.OptValues)
	s.client = cl
	return s
}

func newSource(opts func(any) []any) *Source {
	s := &Source{opts: opts, logged: make(map[string]bool)}
	limits := readLimits(opts)
	s.limits.Store(&limits)
	return s
}

// SetFetchLimits tells the Source what the client's UpdateFetchMaxBytes was
// called with.
func (s *Source) SetFetchLimits(maxBytes, maxPartitionBytes int32) {
	s.limits.Store(&fetchLimits{max: maxBytes, partition: maxPartitionBytes, updated: true})
}

// SetSeeds tells the Source what the client's UpdateSeedBrokers was called with.
func (s *Source) SetSeeds(seeds []string) { s.seeds.Store(&seeds) }

// Seeds returns the client's seed brokers, as they were given.
func (s *Source) Seeds() []string { return seedsOf(s.newView(0)) }

// Collect returns the entries of the default sets of the kinds, sorted by key,
// each key once. A key without a value gives none. Where a key means different
// things to two of the kinds, it has the producer's meaning.
func (s *Source) Collect(kind kcfg.Kind) []sensitive.Entry {
	entries, _ := s.collect(kind)
	return entries
}

// Skipped returns the keys that Collect leaves out for a reason that deserves a
// warning, sorted by key. A key that has no value, or none that Kafka could
// express, is not among them.
func (s *Source) Skipped(kind kcfg.Kind) []Skip {
	_, skips := s.collect(kind)
	return skips
}

func (s *Source) collect(kind kcfg.Kind) ([]sensitive.Entry, []Skip) {
	var (
		entries []sensitive.Entry
		skips   []Skip
	)
	for i := range table {
		r := &table[i]
		if !kind.Overlaps(r.push) {
			continue
		}
		e, skip, ok := s.read(r, kind)
		switch {
		case ok:
			entries = append(entries, e)
		case skip != "":
			skips = append(skips, Skip{r.key, skip})
		}
	}
	return entries, skips
}

// Read returns the entry of one key, in the default set of the kinds or not. It
// returns false for a key that the table does not know, that cannot be told for
// any of the kinds, or that has no value.
func (s *Source) Read(key string, kind kcfg.Kind) (sensitive.Entry, bool) {
	r := find(key)
	if r == nil || !kind.Overlaps(r.told) {
		return sensitive.Entry{}, false
	}
	e, _, ok := s.read(r, kind)
	return e, ok
}

func (s *Source) newView(kind kcfg.Kind) *view {
	v := &view{opts: s.opts, limits: *s.limits.Load(), kind: kind}
	if seeds := s.seeds.Load(); seeds != nil {
		v.seeds = *seeds
	}
	return v
}

func (s *Source) read(r *row, kind kcfg.Kind) (_ sensitive.Entry, skip string, ok bool) {
	v := s.newView(kind)
	ref := s.reference(kind)

	text, ok := r.reader.text(v, ref)
	same := false
	if ok && v.fault == "" {
		same = r.reader.isDefault(text, v, ref)
	}
	// What the reference could not tell makes nothing a default, but it does
	// not make the client's own value wrong.
	if v.fault != "" {
		s.logOnce(r.key, v.fault)
		return sensitive.Entry{}, v.skip, false
	}
	if !ok {
		return sensitive.Entry{}, v.skip, false
	}
	return sensitive.Entry{
		Key:       r.key,
		Value:     text,
		Type:      r.typ,
		IsDefault: same && ref.fault == "",
	}, "", true
}

// reference returns a view of the reference client. It is built when the first
// key is read and kept with its mode, which is fixed when a client is made.
func (s *Source) reference(kind kcfg.Kind) *view {
	s.refOnce.Do(func() {
		s.refOpts = func(any) []any { return nil }
		cl, err := newReference(modeOf(&view{opts: s.opts}), refuse)
		if err != nil {
			return // a kgo that refuses its own defaults: nothing counts as one
		}
		s.refOpts, s.refLimits = cl.OptValues, readLimits(cl.OptValues)
	})
	return &view{opts: s.refOpts, limits: s.refLimits, kind: kind}
}

// logOnce tells the client's own logger, at debug level, that a key is left
// out.
func (s *Source) logOnce(key, why string) {
	s.loggedMu.Lock()
	seen := s.logged[key]
	s.logged[key] = true
	s.loggedMu.Unlock()
	if seen {
		return
	}
	a, _ := (&view{opts: s.opts}).raw(kgo.WithLogger)
	if l, ok := a.(kgo.Logger); ok && l.Level() >= kgo.LogLevelDebug {
		l.Log(kgo.LogLevelDebug, "kcfg: leaving out a configuration key", "key", key, "reason", why)
	}
}
