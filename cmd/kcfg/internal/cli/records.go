package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// claim is said wherever client records are shown to people.
const claim = "what clients tell of themselves is a claim"

// errNoList is why there is nothing to list over the RPCs.
var errNoList = errors.New("over the RPCs nobody can list clients: brokers keep what clients push to themselves; clients that use the topics can be listed (--transport topics, or auto)")

// records returns what all clients tell of themselves. They do it in topics only.
func (a *app) records(ctx context.Context) (out []kcfg.ClientRecord, err error) {
	if kind, err := a.transportKind(); err == nil && kind == client.TransportRPC {
		return nil, errNoList
	}
	err = a.connected(ctx, "reading what clients tell", func(ctx context.Context, s session) error {
		out, err = a.clientsOf(ctx, s)
		return err
	})
	if _, is := errors.AsType[*cfgerrors.NotSetUpError](err); is {
		err = fmt.Errorf("clients can be listed where they tell of themselves in topics, and those of this cluster are not set up (see kcfg setup): %w", err)
	}
	return out, err
}

// clientsOf reads the records of clients, and warns once of those that are left out: what
// is shown is then not all.
func (a *app) clientsOf(ctx context.Context, s session) ([]kcfg.ClientRecord, error) {
	got, err := s.admin.Clients(ctx)
	if got.Skipped > 0 {
		a.warnSkipped.Do(func() {
			a.line.erase()
			fmt.Fprintf(a.streams.Err, "kcfg: left out: %s that this version does not understand\n", plural(got.Skipped, "record"))
		})
	}
	return got.Records, err
}
