package topicstore

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
)

// maxClientBytes bounds what is read of the clients' topic in one call.
const maxClientBytes = 256 << 20

// errTooMany is returned for a topic with more records than maxClientBytes.
var errTooMany = errors.New("topicstore: there are more client records than can be read at once")

// Clients returns the last record of every client whose record is in the topic,
// sorted by instance. Records that are not of the schema are skipped.
func (s *Store) Clients(ctx context.Context) ([]kcfg.ClientRecord, error) {
	cl, err := s.session()
	if err != nil {
		return nil, err
	}
	defer cl.Close()
	all := make(map[string]kcfg.ClientRecord)
	err = s.eachClient(ctx, cl, func(instance string, rec *kcfg.ClientRecord) {
		if rec == nil {
			delete(all, instance)
			return
		}
		all[instance] = *rec
	})
	if err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(all), func(a, b kcfg.ClientRecord) int { return strings.Compare(a.Instance, b.Instance) }), nil
}

// eachClient gives the records of all clients to take, in the order of each one's;
// nil is one that was taken back.
func (s *Store) eachClient(ctx context.Context, cl *kgo.Client, take func(instance string, rec *kcfg.ClientRecord)) error {
	t, err := look(ctx, cl, s.cfg.Names.Clients)
	if err != nil {
		return err
	}
	read := 0
	for partition := range int32(partitions) {
		from, err := start(ctx, cl, t, partition)
		if err != nil {
			return err
		}
		_, _, err = readOn(ctx, cl, t, partition, from, func(r *kgo.Record) {
			read += len(r.Key) + len(r.Value)
			k, err := parseKey(r.Key)
			if err != nil || k.kind != clientKey || len(r.Key)+len(r.Value) > maxClientRecord {
				return
			}
			if r.Value == nil {
				take(k.instance, nil)
				return
			}
			// A record says in two places whose it is. Only the key is
			// what compaction goes by.
			if rec, err := parseClient(r.Value); err == nil && rec.Instance == k.instance {
				take(k.instance, &rec)
			}
		})
		if err != nil {
			return err
		}
		if read > maxClientBytes {
			return errTooMany
		}
	}
	return nil
}

// supported are the keys that live clients say to accept, by whom they say to be,
// as the JSON of supported.configs.
func (s *Store) supported(ctx context.Context, cl *kgo.Client) (map[tuple]string, error) {
	type one struct {
		whom     tuple
		software string
		keys     []string
	}
	all := make(map[string]one)
	err := s.eachClient(ctx, cl, func(instance string, rec *kcfg.ClientRecord) {
		delete(all, instance)
		if rec == nil || rec.Principal == nil || len(rec.Supported) == 0 || time.Since(rec.At) > kcfg.ClientAliveFor {
			return
		}
		all[instance] = one{
			tuple{user: *rec.Principal, hasUser: true, client: rec.ClientID, hasClient: true},
			rec.Software.String(), rec.Supported,
		}
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
