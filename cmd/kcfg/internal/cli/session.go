package cli

import (
	"context"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

// session is the connection of a verb to a cluster.
type session struct {
	cl    *client.Client
	admin *client.Admin
	kadm  *kadm.Client
}

// connected runs do with a session, within --timeout for both, and shows that it lasts. The
// command tells nobody about itself, and takes no overrides.
func (a *app) connected(ctx context.Context, doing string, do func(ctx context.Context, s session) error) error {
	return a.connectedFor(ctx, a.timeout, always(doing), do)
}

// connectedFor is connected with another time than --timeout.
func (a *app) connectedFor(ctx context.Context, timeout time.Duration, doing func() string, do func(ctx context.Context, s session) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	s, end, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer end()
	defer a.progressOf(doing)()
	return do(ctx, s)
}

// open connects, and returns an error that a user understands if it cannot: a client
// by itself would go on trying.
func (a *app) open(ctx context.Context) (session, func(), error) {
	target, err := a.cluster.Target(a.streams.In)
	if err != nil {
		return session{}, nil, usage(err)
	}
	kind, err := a.transportKind()
	if err != nil {
		return session{}, nil, usage(err)
	}
	cl, err := client.New(
		append([]kgo.Opt{kgo.ClientID("kcfg")}, target.Kgo...),
		append(target.Options, client.WithKind(kcfg.KindAdmin), client.DisableConfigsPush(), client.DisableDynamicConfigs(),
			client.Transport(kind), client.Topics(a.topics))...)
	if err != nil {
		return session{}, nil, usage(err)
	}
	if err := a.reach(ctx, cl, target.Seeds); err != nil {
		cl.Close()
		return session{}, nil, err
	}
	admin, err := client.NewAdmin(cl.Client, client.AdminTimeout(a.timeout))
	if err != nil {
		cl.Close()
		return session{}, nil, err
	}
	return session{cl, admin, kadm.NewClient(cl.Client)}, cl.Close, nil
}

func (a *app) reach(ctx context.Context, cl *client.Client, seeds []string) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	defer a.progress("connecting to " + strings.Join(seeds, ","))()
	return unreached(strings.Join(seeds, ","), cl.Ping(ctx))
}
