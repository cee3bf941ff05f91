package topicstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/retry"
	"github.com/kcfg-go/kcfg/internal/transport"
)

// How long the pauses are between looks at a topic that is being made.
const (
	firstWait = 20 * time.Millisecond
	lastWait  = 500 * time.Millisecond
)

// Setup makes both topics, or what is missing of them, and writes the headers by
// which readers know them. It may be run again. A topic that it cannot be sure of,
// with the header of another cluster or with records and no header, is left alone:
// that is a *cfgerrors.NotSetUpError.
func (s *Store) Setup(ctx context.Context, plan kcfg.TopicSetup) (kcfg.TopicsMade, error) {
	var made kcfg.TopicsMade
	for _, p := range slices.Concat(plan.Applications, plan.Operators) {
		if kind, who, ok := strings.Cut(p, ":"); !ok || kind == "" || who == "" {
			return made, fmt.Errorf("topicstore: the principal %q has no type: write User:%s", p, p)
		}
	}
	cl, err := s.session()
	if err != nil {
		return made, err
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	replicas, err := replicasOf(ctx, adm, plan)
	if err != nil {
		return made, err
	}
	// Look at all before anything is changed.
	if err := s.ours(ctx, cl); err != nil {
		return made, err
	}
	ids := make(map[string]topic)
	for _, name := range []string{s.cfg.Names.Clients, s.cfg.Names.Dynamic} {
		m, t, err := s.ensure(ctx, cl, name, replicas, settings(name == s.cfg.Names.Clients, replicas))
		made.Topics = append(made.Topics, m)
		if err != nil {
			return made, err
		}
		ids[name] = t
	}
	t := ids[s.cfg.Names.Dynamic]
	made.Headers, err = writeHeaders(ctx, cl, t, header{
		Version: schemaVersion, Cluster: t.cluster, Topic: t.idText(),
		Clients: ids[s.cfg.Names.Clients].idText(), Partitions: partitions,
	})
	if err != nil {
		return made, err
	}
	rights := Rights(s.cfg.Names, plan.Applications, plan.Operators)
	made.ACLs = commands(rights)
	if plan.ApplyACLs {
		err = apply(ctx, adm, rights)
		made.ACLsApplied = err == nil
	}
	return made, err
}

func replicasOf(ctx context.Context, adm *kadm.Client, plan kcfg.TopicSetup) (int16, error) {
	if plan.Replicas != 0 {
		return plan.Replicas, nil
	}
	brokers, err := adm.ListBrokers(ctx)
	if err != nil {
		return 0, fmt.Errorf("topicstore: %w", err)
	}
	return int16(min(3, max(1, len(brokers)))), nil
}

// ensure makes a topic, or brings the settings of the one that is there in order.
func (s *Store) ensure(ctx context.Context, cl *kgo.Client, name string, replicas int16, want []kcfg.TopicSetting) (kcfg.TopicMade, topic, error) {
	made := kcfg.TopicMade{Name: name, Settings: want}
	adm := kadm.NewClient(cl)
	t, err := find(ctx, cl, name)
	if missing(err) {
		configs := make(map[string]*string, len(want))
		for _, s := range want {
			configs[s.Key] = &s.Value
		}
		resp, err := adm.CreateTopic(ctx, partitions, replicas, configs, name)
		if err == nil {
			err = resp.Err
		}
		made.Created = err == nil
		if err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			return made, topic{}, adminError("CreateTopics", name, err)
		}
		t, err = await(ctx, cl, name)
		return made, t, err
	}
	if err == nil && len(t.leaders) != partitions {
		err = notSetUp(name, "it has %d partitions instead of %d; delete it to have it made", len(t.leaders), partitions)
	}
	if err != nil {
		return made, t, err
	}
	made.Settings, err = adjust(ctx, adm, name, settings(name == s.cfg.Names.Clients, t.replicas))
	return made, t, err
}

func missing(err error) bool {
	e, ok := errors.AsType[*cfgerrors.NotSetUpError](err)
	return ok && e.Missing
}

// adjust sets the settings that are others, and tells which.
func adjust(ctx context.Context, adm *kadm.Client, name string, want []kcfg.TopicSetting) ([]kcfg.TopicSetting, error) {
	got, err := adm.DescribeTopicConfigs(ctx, name)
	if err == nil && len(got) == 1 {
		err = got[0].Err
	}
	if err != nil {
		return want, adminError("DescribeConfigs", name, err)
	}
	is := make(map[string]string)
	for _, c := range got[0].Configs {
		is[c.Key] = c.MaybeValue()
	}
	var alter []kadm.AlterConfig
	for i, s := range want {
		if was := is[s.Key]; was != s.Value {
			want[i].Was = was
			alter = append(alter, kadm.AlterConfig{Op: kadm.SetConfig, Name: s.Key, Value: &want[i].Value})
		}
	}
	if len(alter) == 0 {
		return want, nil
	}
	resp, err := adm.AlterTopicConfigs(ctx, alter, name)
	if err == nil && len(resp) == 1 {
		err = resp[0].Err
	}
	if err != nil {
		return want, adminError("IncrementalAlterConfigs", name, err)
	}
	return want, nil
}

// await waits until every partition of a new topic has a leader.
func await(ctx context.Context, cl *kgo.Client, name string) (topic, error) {
	waits := retry.NewWaits(firstWait, lastWait)
	for {
		t, err := look(ctx, cl, name)
		if err == nil && t.led() {
			return t, nil
		}
		if err != nil && !missing(err) && !transport.Passing(err) {
			return t, err
		}
		if !retry.Sleep(ctx, waits.Next()) {
			return t, errors.Join(context.Cause(ctx), err)
		}
	}
}

// adminError makes a typed error of what kadm returned.
func adminError(request, name string, err error) error {
	if code, ok := errors.AsType[*kerr.Error](err); ok {
		return refused(request, name, code.Code)
	}
	return fmt.Errorf("topicstore: %s of topic %s: %w", request, name, err)
}

// ours returns an error if one of the topics is there and not ours.
func (s *Store) ours(ctx context.Context, cl *kgo.Client) error {
	named := "" // the clients' topic, by a header
	d, err := look(ctx, cl, s.cfg.Names.Dynamic)
	if err == nil {
		_, err = withoutHeader(ctx, cl, d, header{Cluster: d.cluster, Topic: d.idText()}, func(h header) { named = h.Clients })
	}
	if err != nil && !missing(err) {
		return err
	}
	c, err := look(ctx, cl, s.cfg.Names.Clients)
	if missing(err) || err == nil && named != "" && named == c.idText() {
		return nil
	}
	if err != nil {
		return err
	}
	return onlyClients(ctx, cl, c)
}

// onlyClients returns an error if a topic that no header names has records that
// are not of clients.
func onlyClients(ctx context.Context, cl *kgo.Client, t topic) error {
	for partition := range int32(partitions) {
		from, err := start(ctx, cl, t, partition)
		if err != nil {
			return err
		}
		strange := false
		_, _, err = readOn(ctx, cl, t, partition, from, func(r *kgo.Record) {
			k, err := parseKey(r.Key)
			strange = strange || err != nil || k.kind != clientKey
		})
		if err != nil {
			return err
		}
		if strange {
			return notSetUp(t.name, "partition %d has records that are not of clients; delete the topic to have it made", partition)
		}
	}
	return nil
}

// withoutHeader returns the partitions of the dynamic topic that have another
// header than is wanted. It fails if one of them is not ours.
func withoutHeader(ctx context.Context, cl *kgo.Client, t topic, want header, see func(header)) ([]int32, error) {
	var without []int32
	for partition := range int32(partitions) {
		from, err := start(ctx, cl, t, partition)
		if err != nil {
			return nil, err
		}
		tab, read := newTable(everything), 0
		if _, _, err := readOn(ctx, cl, t, partition, from, func(r *kgo.Record) { read++; tab.apply(r) }); err != nil {
			return nil, err
		}
		if tab.header != nil {
			see(*tab.header)
		}
		switch h := tab.header; {
		case h != nil && *h == want:
			continue
		case h != nil && h.Cluster != want.Cluster:
			return nil, notSetUp(t.name, "partition %d has the header of the cluster %q; delete the topic to have it made", partition, h.Cluster)
		case h != nil && h.Topic != "" && h.Topic != want.Topic: // none is from before Kafka 2.8
			return nil, notSetUp(t.name, "partition %d has the header of another topic; delete the topic to have it made", partition)
		case h == nil && read > 0:
			return nil, notSetUp(t.name, "partition %d has records and no header; delete the topic to have it made", partition)
		}
		without = append(without, partition)
	}
	return without, nil
}

// writeHeaders writes a header into every partition that has another one.
func writeHeaders(ctx context.Context, cl *kgo.Client, t topic, want header) (int, error) {
	without, err := withoutHeader(ctx, cl, t, want, func(header) {})
	if err != nil {
		return 0, err
	}
	for n, partition := range without {
		r := &kgo.Record{Key: recordKey{kind: headerKey}.bytes(), Value: encode(want)}
		if err := write(ctx, cl, t, partition, r); err != nil {
			return n, err
		}
	}
	return len(without), nil
}
