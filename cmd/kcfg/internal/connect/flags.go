// Package connect is how the command finds its cluster: by flags, or by a file of
// properties in the form of Kafka's own tools.
package connect

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
)

// Flags are the flags that name a cluster.
type Flags struct {
	servers string
}

// AddFlags defines the flags. They may be asked after fs was parsed.
func AddFlags(fs *pflag.FlagSet) *Flags {
	f := new(Flags)
	fs.StringVar(&f.servers, "bootstrap-server", "", "connect to `host:port[,host:port]`")
	fs.StringVar(&f.servers, "brokers", "", "the same as --bootstrap-server")
	return f
}

// Target is a cluster, as clients need to know it.
type Target struct {
	Seeds []string
	// Kgo and Options are what kgo and package client need to get in.
	Kgo     []kgo.Opt
	Options []client.Option
}

// Target returns the cluster that the flags name.
func (f *Flags) Target() (Target, error) {
	var t Target
	for s := range strings.SplitSeq(f.servers, ",") {
		if s = strings.TrimSpace(s); s != "" {
			t.Seeds = append(t.Seeds, s)
		}
	}
	if len(t.Seeds) == 0 {
		return t, errors.New("which cluster? name it with --bootstrap-server host:port")
	}
	t.Kgo = []kgo.Opt{kgo.SeedBrokers(t.Seeds...)}
	return t, nil
}
