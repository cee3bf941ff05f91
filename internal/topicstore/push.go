package topicstore

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/transport"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Push writes the record of this client.
func (s *Store) Push(ctx context.Context, configs []sensitive.Clean, _ ...int32) (transport.Pushed, error) {
	rec := withConfigs(s.cfg.Record(), configs)
	r := &kgo.Record{Key: recordKey{kind: clientKey, instance: rec.Instance}.bytes(), Value: encode(rec)}
	if n := len(r.Key) + len(r.Value); n > maxClientRecord {
		return transport.Pushed{}, cfgerrors.FromCode(cfgerrors.CodeConfigTooLarge, fmt.Sprintf("the record would have %d bytes, of %d at most", n, maxClientRecord))
	}
	return s.tell(ctx, r, rec.Instance)
}

// Forget takes the record of this client back. It does nothing where there is
// none.
func (s *Store) Forget(ctx context.Context) error {
	s.mu.Lock()
	instance := s.pushed
	s.pushed = ""
	s.mu.Unlock()
	if instance == "" {
		return nil
	}
	_, err := s.tell(ctx, &kgo.Record{Key: recordKey{kind: clientKey, instance: instance}.bytes()}, instance)
	return err
}

// tell writes to the topic of the clients. Who writes there may not read it; that
// it is the right one is in the header of the other topic, for those who read
// that.
func (s *Store) tell(ctx context.Context, r *kgo.Record, instance string) (transport.Pushed, error) {
	cl, err := s.session()
	if err != nil {
		return transport.Pushed{}, err
	}
	defer cl.Close()
	to := transport.Pushed{Sent: true, Node: noNode}
	t, err := lookToWrite(ctx, cl, s.cfg.Names.Clients)
	if err != nil {
		return to, err
	}
	s.mu.Lock()
	want, known := s.clients, s.known
	s.mu.Unlock()
	if id := t.idText(); known && id != "" && want != id {
		return to, notSetUp(t.name, "SetupTopics made another topic with this name")
	}
	partition := partitionOf(instance)
	to.Node = t.leaders[partition]
	err = write(ctx, cl, t, partition, r)
	// One whose answer did not come may be there too.
	if r.Value != nil && (err == nil || transport.Passing(err)) {
		s.mu.Lock()
		s.pushed = instance
		if s.pushedTo == "" {
			s.pushedTo = t.idText()
		}
		s.mu.Unlock()
	}
	return to, err
}
