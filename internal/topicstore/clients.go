package topicstore

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

// maxClientBytes bounds what is read of the clients' topic in one call.
const maxClientBytes = 256 << 20

// errTooMany is returned for a topic with more records than maxClientBytes.
var errTooMany = errors.New("topicstore: there are more client records than can be read at once")

// Clients returns the last record of every client whose record is in the topic,
// sorted by instance. Records that are not of the schema are skipped, and counted.
func (s *Store) Clients(ctx context.Context) (out kcfg.ClientRecords, err error) {
	cl, err := s.session()
	if err != nil {
		return out, err
	}
	defer cl.Close()
	all, skipped, err := lastOf(ctx, cl, s.cfg.Names.Clients, func(rec *kcfg.ClientRecord) (kcfg.ClientRecord, bool) { return *rec, true })
	if err != nil {
		return out, err
	}
	byInstance := func(a, b kcfg.ClientRecord) int { return strings.Compare(a.Instance, b.Instance) }
	return kcfg.ClientRecords{Records: slices.SortedFunc(maps.Values(all), byInstance), Skipped: skipped}, nil
}

// atOnce is how many partitions of the clients' topic are read at a time: what takes
// long is to decode.
const atOnce = 4

// lastOf returns what keep makes of the last record of every client, by instance.
// Those that were taken back, and those of which keep keeps nothing, are left out. It
// counts the keys whose last record is not of the schema.
func lastOf[T any](ctx context.Context, cl *kgo.Client, name string, keep func(*kcfg.ClientRecord) (T, bool)) (_ map[string]T, skipped int, err error) {
	t, err := look(ctx, cl, name)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		found [partitions]last[T]
		read  atomic.Int64
		wg    sync.WaitGroup
		slots = make(chan struct{}, atOnce)
	)
	for partition := range int32(partitions) {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			var err error
			if found[partition], err = lastIn(ctx, cl, t, partition, &read, keep); err != nil {
				cancel(err) // the first one counts
			}
		})
	}
	wg.Wait()
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	// A client is in one partition. Of what somebody wrote to another one, the last
	// partition counts, so that it is the same every time.
	all := make(map[string]T)
	for _, part := range found {
		skipped += len(part.skipped)
		for instance, one := range part.clients {
			delete(all, instance)
			if one != nil {
				all[instance] = *one
			}
		}
	}
	return all, skipped, nil
}

// last is what a partition has in the end.
type last[T any] struct {
	clients map[string]*T   // by instance, nil for one of which nothing is kept
	skipped map[string]bool // the keys of what is not of the schema
}

// lastIn is lastOf for one partition. It adds what it reads to read.
func lastIn[T any](ctx context.Context, cl *kgo.Client, t topic, partition int32, read *atomic.Int64, keep func(*kcfg.ClientRecord) (T, bool)) (last[T], error) {
	from, err := start(ctx, cl, t, partition)
	if err != nil {
		return last[T]{}, err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	found := last[T]{make(map[string]*T), make(map[string]bool)}
	_, _, err = readOn(ctx, cl, t, partition, from, func(r *kgo.Record) {
		if read.Add(int64(len(r.Key)+len(r.Value))) > maxClientBytes {
			cancel(errTooMany)
			return
		}
		instance, rec, ok := clientOf(r)
		if !ok && r.Value != nil {
			found.skipped[string(r.Key)] = true
			return
		}
		delete(found.skipped, string(r.Key))
		if !ok {
			return
		}
		found.clients[instance] = nil
		if rec == nil {
			return
		}
		if one, ok := keep(rec); ok {
			found.clients[instance] = &one
		}
	})
	if cause := context.Cause(ctx); errors.Is(cause, errTooMany) {
		return last[T]{}, cause
	}
	return found, err
}

// clientOf decodes a record of the clients' topic: a nil rec takes the client's back.
// It is false for one that is not of the schema.
func clientOf(r *kgo.Record) (instance string, rec *kcfg.ClientRecord, ok bool) {
	k, err := parseKey(r.Key)
	if err != nil || k.kind != clientKey || len(r.Key)+len(r.Value) > maxClientRecord {
		return "", nil, false
	}
	if r.Value == nil {
		return k.instance, nil, true
	}
	// A record says in two places whose it is. Only the key is what compaction
	// goes by.
	got, err := parseClient(r.Value)
	return k.instance, &got, err == nil && got.Instance == k.instance
}

// supported are the keys that live clients say to accept, by whom they say to be,
// as the JSON of supported.configs.
func (s *Store) supported(ctx context.Context, cl *kgo.Client) (map[tuple]string, error) {
	type one struct {
		whom     tuple
		software string
		keys     []string
	}
	all, _, err := lastOf(ctx, cl, s.cfg.Names.Clients, func(rec *kcfg.ClientRecord) (one, bool) {
		if rec.Principal == nil || len(rec.Supported) == 0 || time.Since(rec.At) > kcfg.ClientAliveFor {
			return one{}, false
		}
		return one{
			tuple{user: *rec.Principal, hasUser: true, client: rec.ClientID, hasClient: true},
			rec.Software.String(), rec.Supported,
		}, true
	})
	if err != nil {
		return nil, err
	}
	by := make(map[tuple]map[string][]string)
	for _, c := range all {
		if by[c.whom] == nil {
			by[c.whom] = make(map[string][]string)
		}
		keys := append(by[c.whom][c.software], c.keys...)
		slices.Sort(keys)
		by[c.whom][c.software] = slices.Compact(keys)
	}
	out := make(map[tuple]string, len(by))
	for whom, m := range by {
		b, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		whom.config = kcfg.SupportedConfigs
		out[whom] = string(b)
	}
	return out, nil
}
