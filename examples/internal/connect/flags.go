// Package connect is how the examples find their cluster: the one that the flags
// name, or an embedded reference broker.
package connect

import (
	"errors"
	"flag"
	"strings"
)

// Flags are the flags that name a cluster.
type Flags struct {
	brokers      string
	tls          bool
	ca           string
	user         string
	passwordFile string
	mechanism    string
}

// AddFlags defines the flags. They may be asked after fs was parsed.
func AddFlags(fs *flag.FlagSet) *Flags {
	f := new(Flags)
	fs.StringVar(&f.brokers, "brokers", "", "connect to `host:port[,host:port]`; by default an embedded reference broker is started")
	fs.BoolVar(&f.tls, "tls", false, "connect with TLS")
	fs.StringVar(&f.ca, "tls-ca", "", "trust the certificates in this PEM `file` instead of the system's; implies -tls")
	fs.StringVar(&f.user, "user", "", "authenticate as this SASL user `name`")
	fs.StringVar(&f.passwordFile, "password-file", "", "read the user's password from this `file`; a line break at its end does not count")
	fs.StringVar(&f.mechanism, "mechanism", scram256, "SASL `mechanism`: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
	return f
}

// Named reports whether the flags name a cluster.
func (f *Flags) Named() bool { return f.brokers != "" }

// Check refuses flags that would silently do nothing. Target and Open call it.
func (f *Flags) Check() error {
	switch {
	case !f.Named() && (f.tls || f.ca != "" || f.user != "" || f.passwordFile != ""):
		return errors.New("-tls, -tls-ca, -user and -password-file need -brokers")
	case (f.user == "") != (f.passwordFile == ""):
		return errors.New("-user and -password-file go together")
	}
	return nil
}

// seeds returns the brokers of the flag, without empty ones.
func (f *Flags) seeds() []string {
	var out []string
	for s := range strings.SplitSeq(f.brokers, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
