package connect

import (
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"strings"

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
	for _, seed := range t.Seeds {
		if !isAddress(seed) { // which is not shown: there may be a password before an @
			return t, errors.New("the address of a broker is host:port, with a port from 1 to 65535")
		}
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

// isAddress reports whether a broker can be at an address. One without a port has
// Kafka's.
func isAddress(seed string) bool {
	if strings.ContainsAny(seed, "/@ \t") {
		return false
	}
	host, port, err := net.SplitHostPort(seed)
	if err != nil {
		return true
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return host != "" && err == nil && n > 0
}
