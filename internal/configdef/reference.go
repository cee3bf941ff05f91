package configdef

import (
	"context"
	"errors"
	"net"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A mode is what several of kgo's defaults hang on.
type mode struct {
	share   bool
	group   bool
	nextGen bool
}

func modeOf(v *view) mode {
	return mode{
		share:   get[string](v, kgo.ShareGroup) != "",
		group:   get[string](v, kgo.ConsumerGroup) != "",
		nextGen: nextGen(v),
	}
}

func (m mode) opts() []kgo.Opt {
	const name = "kcfg-reference"
	var opts []kgo.Opt
	switch {
	case m.share:
		opts = append(opts, kgo.ShareGroup(name))
	case m.group:
		opts = append(opts, kgo.ConsumerGroup(name))
	}
	if m.nextGen {
		opts = append(opts, kgo.ServerSideBalancer())
	}
	return opts
}

type dialFunc = func(ctx context.Context, network, host string) (net.Conn, error)

// newReference returns a closed client of a mode, whose options are kgo's
// defaults. It was given nothing to consume, so it had no reason to dial, no
// hooks and no logger, so nobody hears of it, and Close waited for its
// goroutines.
func newReference(m mode, dial dialFunc) (*kgo.Client, error) {
	cl, err := kgo.NewClient(append(m.opts(), kgo.Dialer(dial))...)
	if err != nil {
		return nil, err
	}
	cl.Close()
	return cl, nil
}

func refuse(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("configdef: the reference client does not dial")
}
