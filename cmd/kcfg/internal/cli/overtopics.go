package cli

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/fleet"
)

// alive is what clients tell of themselves that are not stale: nobody waits for those
// that ended without a word.
func (a *app) alive(ctx context.Context, s session) ([]kcfg.ClientRecord, error) {
	all, err := a.clientsOf(ctx, s)
	now := time.Now()
	return slices.DeleteFunc(all, func(r kcfg.ClientRecord) bool { return fleet.Stale(r, now) }), err
}

// overTopics reports whether dynamic client configurations travel over topics, which is
// where clients tell of themselves: as the user chose, and else unless a broker speaks
// the RPCs.
func (a *app) overTopics(ctx context.Context, s session) (bool, error) {
	kind, err := a.transportKind()
	if err != nil || kind != client.TransportAuto {
		return kind == client.TransportTopics, err
	}
	rpc, err := client.NewAdmin(s.cl.Client, client.Transport(client.TransportRPC), client.AdminTimeout(a.timeout))
	if err != nil {
		return false, err
	}
	_, err = rpc.DescribeClientConfigs(ctx, kcfg.FilterDefaultUser())
	switch {
	case errors.Is(err, cfgerrors.ErrUnsupported):
		return true, nil
	case answered(err): // a broker speaks the RPC, whatever it says
		return false, nil
	}
	return false, err
}

// answered reports whether an error is what a broker answered.
func answered(err error) bool {
	_, is := errors.AsType[interface {
		error
		Message() string
	}](err)
	return is
}

// errNoRecords is why clients are not known where the RPCs are used.
var errNoRecords = errors.New("clients tell of themselves over topics only (see kcfg setup), and here the brokers' RPCs are used; --transport topics is for the topics")
