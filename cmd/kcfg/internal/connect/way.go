package connect

import (
	"crypto/tls"
	"errors"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
)

// way is a way into a cluster.
type way struct {
	seeds []string
	more  []kgo.Opt   // what a file says besides
	tls   *tls.Config // nil for plaintext
	sasl  *login      // nil for none
}

// target returns what clients need to go that way.
func (w way) target() (Target, error) {
	t := Target{Seeds: w.seeds}
	if len(t.Seeds) == 0 {
		return t, errors.New("which cluster? name it with --bootstrap-server host:port")
	}
	t.Kgo = append([]kgo.Opt{kgo.SeedBrokers(t.Seeds...)}, w.more...)
	if w.tls != nil {
		t.Options = append(t.Options, client.DialTLSConfig(w.tls))
	}
	if w.sasl != nil {
		m, err := w.sasl.mechanism()
		if err != nil {
			return t, err
		}
		t.Kgo = append(t.Kgo, kgo.SASL(m))
	}
	return t, nil
}
