// Package connect is how the command finds its cluster: by flags, or by a file of
// properties in the form of Kafka's own tools.
//
// What a file asks for and this package cannot do is an error that names the key:
// it never connects in another way than was asked for. No error holds a password,
// nor a line of the file.
package connect

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/sensitive"
)

// Flags are the flags that name a cluster.
type Flags struct {
	set *pflag.FlagSet

	servers       string
	commandConfig string

	tls        bool
	ca         string
	cert, key  string
	serverName string

	user, passwordFile, mechanism string
}

// The flags' names.
const (
	flagServers       = "bootstrap-server"
	flagBrokers       = "brokers"
	flagCommandConfig = "command-config"
	flagTLS           = "tls"
	flagCA            = "tls-ca"
	flagCert          = "tls-cert"
	flagKey           = "tls-key"
	flagServerName    = "tls-server-name"
	flagUser          = "sasl-user"
	flagPasswordFile  = "sasl-password-file"
	flagMechanism     = "sasl-mechanism"
)

// names are all of them.
var names = []string{
	flagServers, flagBrokers, flagCommandConfig, flagTLS, flagCA, flagCert, flagKey, flagServerName, flagUser, flagPasswordFile, flagMechanism,
}

// AddFlags defines the flags. They may be asked after fs was parsed.
func AddFlags(fs *pflag.FlagSet) *Flags {
	f := &Flags{set: fs}
	fs.StringVar(&f.servers, flagServers, "", "connect to `host:port[,host:port]`")
	fs.StringVar(&f.servers, flagBrokers, "", "the same as --bootstrap-server: `host:port[,host:port]`")
	fs.StringVar(&f.commandConfig, flagCommandConfig, "", "read how to connect from this `file` of properties, as Kafka's tools do; flags win over it")
	fs.BoolVar(&f.tls, flagTLS, false, "connect with TLS")
	fs.StringVar(&f.ca, flagCA, "", "trust the certificates in this PEM `file` instead of the system's; implies --tls")
	fs.StringVar(&f.cert, flagCert, "", "authenticate with the certificate in this PEM `file`; implies --tls")
	fs.StringVar(&f.key, flagKey, "", "the private key of --tls-cert, a PEM `file`")
	fs.StringVar(&f.serverName, flagServerName, "", "expect this `name` in the brokers' certificates; implies --tls")
	fs.StringVar(&f.user, flagUser, "", "authenticate as this SASL user `name`")
	fs.StringVar(&f.passwordFile, flagPasswordFile, "", "read the user's password from this `file`, - for standard input; a line break at its end does not count")
	fs.StringVar(&f.mechanism, flagMechanism, scram256, "SASL `mechanism`: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
	return f
}

// Given returns the first of the flags that was given, or an empty string.
func (f *Flags) Given() string {
	for _, name := range names {
		if f.set.Changed(name) {
			return name
		}
	}
	return ""
}

// Target is a cluster, as clients need to know it.
type Target struct {
	Seeds []string
	// Kgo and Options are what kgo and package client need to get in.
	Kgo     []kgo.Opt
	Options []client.Option
}

// Target returns the cluster that the flags and the file of --command-config name.
// A password is read from in where the flags say so.
func (f *Flags) Target(in io.Reader) (Target, error) {
	if err := f.check(); err != nil {
		return Target{}, err
	}
	var file properties
	if f.commandConfig != "" {
		var err error
		if file, err = readProperties(f.commandConfig); err != nil {
			return Target{}, fmt.Errorf("--%s: %w", flagCommandConfig, err)
		}
	}
	f.replace(file)
	w, err := file.way(f.user != "")
	if err != nil {
		return Target{}, fmt.Errorf("--%s: %w", flagCommandConfig, err)
	}
	if err := f.overrule(&w, in); err != nil {
		return Target{}, err
	}
	return w.target()
}

// check refuses flags that contradict each other or would silently do nothing.
func (f *Flags) check() error {
	for _, name := range names {
		if v := f.set.Lookup(name).Value; f.set.Changed(name) && v.Type() == "string" && v.String() == "" {
			return fmt.Errorf("--%s is empty", name)
		}
	}
	needsTLS := ""
	for _, name := range []string{flagCA, flagCert, flagKey, flagServerName} {
		if f.set.Changed(name) {
			needsTLS = name
		}
	}
	switch {
	case f.set.Changed(flagServers) && f.set.Changed(flagBrokers):
		return errors.New("--bootstrap-server and --brokers are the same: use one")
	case needsTLS != "" && f.set.Changed(flagTLS) && !f.tls:
		return fmt.Errorf("--%s goes with TLS, which --tls=false switches off", needsTLS)
	case (f.cert == "") != (f.key == ""):
		return errors.New("--tls-cert and --tls-key go together")
	case (f.user == "") != (f.passwordFile == ""):
		return errors.New("--sasl-user and --sasl-password-file go together")
	case f.set.Changed(flagMechanism) && f.user == "" && f.commandConfig == "":
		return errors.New("--sasl-mechanism needs --sasl-user")
	}
	return nil
}

// replace takes out of a file what flags say as a whole, so that nobody has to mend a
// file in which it is missing or cannot be read here, and puts in whether there is TLS.
func (f *Flags) replace(file properties) {
	var gone []string
	if f.ca != "" {
		gone = append(gone, keyTrustLocation, keyTrustType, keyTrustPassword, keyTrustCertificates)
	}
	if f.cert != "" {
		gone = append(gone, keyStoreLocation, keyStoreType, keyStorePassword, keyStoreChain, keyStoreKey, keyKeyPassword)
	}
	for _, key := range gone {
		delete(file, key)
	}
	other := map[string]string{}
	switch {
	case f.set.Changed(flagTLS) && !f.tls:
		other = map[string]string{ssl: plaintext, saslSSL: saslPlaintext}
	case f.wantsTLS():
		other = map[string]string{"": ssl, plaintext: ssl, saslPlaintext: saslSSL}
	}
	// What else the file says of TLS counts then, or does not.
	if protocol, ok := other[strings.ToUpper(file.get(keyProtocol))]; ok && file != nil {
		file[keyProtocol] = sensitive.NewSecret(protocol)
	}
}

// wantsTLS reports whether a flag asks for TLS.
func (f *Flags) wantsTLS() bool {
	return f.tls || f.ca != "" || f.cert != "" || f.serverName != ""
}

// overrule changes what the file says into what the flags say, where they do.
func (f *Flags) overrule(w *way, in io.Reader) error {
	if f.servers != "" {
		w.seeds = seeds(f.servers)
	}
	if err := f.overruleSASL(w, in); err != nil {
		return err
	}
	return f.overruleTLS(w)
}

func seeds(list string) []string {
	var out []string
	for s := range strings.SplitSeq(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
