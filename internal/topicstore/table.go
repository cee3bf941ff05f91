package topicstore

import (
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// moreHeader is the record header on every record of an alteration but the last.
// All of them are one batch; a writer that does not keep to that can be caught
// half way.
const moreHeader = "more"

// table is what a reader keeps of the dynamic topic, or of one partition of it.
type table struct {
	keep   func(tuple) bool
	header *header // the last one, nil before there is one
	badly  string  // why the last header does not count, empty if it does
	values map[tuple]string
	bad    map[tuple]string // why the last value of a key cannot be read

	skipped  int    // records that are not of this schema
	skip     string // about the last of them
	halfAt   int64  // the offset of a record whose alteration goes on, if it was the last one
	halfOpen bool
}

func newTable(keep func(tuple) bool) *table {
	return &table{keep: keep, values: make(map[tuple]string), bad: make(map[tuple]string)}
}

// apply takes over one record. Later ones win.
func (t *table) apply(r *kgo.Record) {
	t.halfOpen, t.halfAt = goesOn(r), r.Offset
	if len(r.Key)+len(r.Value) > maxDynamicRecord {
		t.skips(r, fmt.Sprintf("it is larger than %d bytes", maxDynamicRecord))
		return
	}
	k, err := parseKey(r.Key)
	switch {
	case err != nil:
		t.skips(r, err.Error())
	case k.kind == headerKey:
		t.takeHeader(r)
	case k.kind == dynamicKey:
		t.take(k.tuple, r)
	default:
		t.skips(r, "it is of another topic of this schema")
	}
}

func (t *table) take(k tuple, r *kgo.Record) {
	if !t.keep(k) {
		return
	}
	delete(t.bad, k)
	if r.Value == nil {
		delete(t.values, k)
		return
	}
	value, err := parseDynamic(r.Value)
	if err != nil {
		t.bad[k] = at(r, err.Error())
		return
	}
	t.values[k] = value
}

func (t *table) takeHeader(r *kgo.Record) {
	t.header, t.badly = nil, ""
	if r.Value == nil {
		return
	}
	h, err := parseHeader(r.Value)
	if err != nil {
		t.badly = at(r, err.Error())
		return
	}
	t.header = &h
}

func (t *table) skips(r *kgo.Record, why string) {
	t.skipped++
	t.skip = at(r, why)
}

// at says which record something is about.
func at(r *kgo.Record, what string) string {
	return fmt.Sprintf("the record at offset %d of partition %d: %s", r.Offset, r.Partition, what)
}

func goesOn(r *kgo.Record) bool {
	for _, h := range r.Headers {
		if h.Key == moreHeader {
			return true
		}
	}
	return false
}

// check says why nothing of what was read up to an offset is to be believed, and
// nothing if all of it is.
func (t *table) check(where topic, end int64) string {
	switch h := t.header; {
	case t.badly != "":
		return t.badly
	case h == nil:
		return "it has no header: nobody ran SetupTopics for it"
	case h.Cluster != where.cluster:
		return fmt.Sprintf("its header is of the cluster %q, and this one is %q", h.Cluster, where.cluster)
	case where.idText() != "" && h.Topic != where.idText():
		return "its header is of another topic with this name"
	case h.Partitions != partitions:
		return fmt.Sprintf("its header tells of %d partitions", h.Partitions)
	case t.halfOpen && t.halfAt+1 == end:
		return fmt.Sprintf("the alteration that ends at offset %d is not complete", t.halfAt)
	}
	if len(t.bad) == 0 {
		return ""
	}
	return slices.Min(slices.Collect(maps.Values(t.bad)))
}
