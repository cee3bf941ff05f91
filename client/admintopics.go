package client

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/retry"
	"github.com/kcfg-go/kcfg/internal/topicstore"
	"github.com/kcfg-go/kcfg/internal/transport"
	"github.com/kcfg-go/kcfg/pushconfig"
)

// SetupTopics makes the topics of TransportTopics, or what is missing of them:
// with 12 partitions, compacted, and a header in every partition that proves to
// clients who made them. It may be run again, and brings settings in order that
// somebody changed. It needs the operations Create, Describe, DescribeConfigs,
// AlterConfigs, Read and Write on both topics, and Alter on the cluster with
// ApplyACLs.
//
// A topic of the name that is another cluster's, or that has records and no
// header, is left alone and named in a *cfgerrors.NotSetUpError.
func (a *Admin) SetupTopics(ctx context.Context, setup kcfg.TopicSetup) (made kcfg.TopicsMade, err error) {
	if a.topics == nil {
		return made, errors.New("client: SetupTopics: the Admin is not over topics: give it client.Transport(client.TransportTopics)")
	}
	if err := a.checkSetup(setup); err != nil {
		return made, err
	}
	err = a.overTopics(ctx, func(ctx context.Context, _ transport.Transport, _ []int32) (transport.Pushed, error) {
		before := made
		made, err = a.topics.Setup(ctx, setup)
		made = since(before, made)
		return transport.Pushed{}, err
	})
	return made, err
}

// since is what a try of SetupTopics made, with what those before it did: one that
// made a topic and failed then, as a broker did not know it yet, left it for the
// next one to find.
func since(before, made kcfg.TopicsMade) kcfg.TopicsMade {
	made.Headers += before.Headers
	for i, was := range before.Topics {
		if i == len(made.Topics) {
			made.Topics = append(made.Topics, was)
			continue
		}
		t := &made.Topics[i]
		t.Created = t.Created || was.Created
		for j, s := range was.Settings {
			if s.Was != "" && j < len(t.Settings) {
				t.Settings[j].Was = s.Was
			}
		}
	}
	return made
}

// Clients returns what every client whose record is in the topics tells of itself,
// sorted by instance. All of it is a claim: what a client really is allowed and
// really does only the brokers know. A client that ended without a word is there
// for up to a day; see ClientRecord.At. Records that are not of the schema are counted.
// It needs Read on the topic of the clients.
func (a *Admin) Clients(ctx context.Context) (out kcfg.ClientRecords, err error) {
	if a.topics == nil {
		return out, fmt.Errorf("client: Clients: the Admin is not over topics: %w", cfgerrors.ErrUnsupported)
	}
	err = a.overTopics(ctx, func(ctx context.Context, _ transport.Transport, _ []int32) (transport.Pushed, error) {
		out, err = a.topics.Clients(ctx)
		return transport.Pushed{}, err
	})
	return out, err
}

// newStore makes the transport of an Admin over topics.
func (a *Admin) newStore() *topicstore.Store {
	cfg := topicstore.Config{
		Names:    a.cfg.places.names,
		Validate: configdef.ValidateDynamic,
		Known:    dynamicKey,
	}
	if p := a.plugin; p != nil {
		cfg.Dial, cfg.Log, cfg.Seeds = p.dialer.Dial, p.log, p.seeds
	} else {
		// Of a client of the application's own making it is never nil, and
		// speaks TLS if the client does.
		cfg.Dial = optOf[func(context.Context, string, string) (net.Conn, error)](a.cl, kgo.Dialer)
	}
	return topicstore.New(a.cl, cfg)
}

// overTopics runs do until it did what it could.
func (a *Admin) overTopics(ctx context.Context, do attempt) error {
	if a.plugin != nil && a.plugin.err != nil {
		return a.plugin.err
	}
	if a.cl.Context().Err() != nil {
		return cfgerrors.ErrClosed
	}
	ctx, cancel := a.bounded(ctx)
	defer cancel()
	limits := pushconfig.Limits{MinBackoff: javaBackoffMin, MaxBackoff: javaBackoffMax}
	if p := a.plugin; p != nil {
		limits = p.cfg.limits(p.source)
	}
	waits := retry.NewWaits(limits.MinBackoff, limits.MaxBackoff)
	for {
		_, err := do(ctx, a.topics, nil)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ended(ctx, err)
		case !transport.Passing(err):
			return fmt.Errorf("client: %w", err)
		case !retry.Sleep(ctx, waits.Next()):
			return ended(ctx, err)
		}
	}
}
