package connect

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	props "github.com/magiconair/properties"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/sensitive"
)

// The keys of a file of properties that are heeded.
const (
	keyServers  = "bootstrap.servers"
	keyClientID = "client.id"
	keyProtocol = "security.protocol"

	keyMechanism = "sasl.mechanism"
	keyJAAS      = "sasl.jaas.config"

	keyTrustLocation     = "ssl.truststore.location"
	keyTrustType         = "ssl.truststore.type"
	keyTrustPassword     = "ssl.truststore.password"
	keyTrustCertificates = "ssl.truststore.certificates"
	keyStoreLocation     = "ssl.keystore.location"
	keyStoreType         = "ssl.keystore.type"
	keyStorePassword     = "ssl.keystore.password"
	keyStoreChain        = "ssl.keystore.certificate.chain"
	keyStoreKey          = "ssl.keystore.key"
	keyKeyPassword       = "ssl.key.password"
	keyIdentification    = "ssl.endpoint.identification.algorithm"
	keyTLSProtocol       = "ssl.protocol"
	keyTLSProtocols      = "ssl.enabled.protocols"

	keyRequestTimeout = "request.timeout.ms"
	keyAPITimeout     = "default.api.timeout.ms"
	keyMetadataMaxAge = "metadata.max.age.ms"

	keyProviders = "config.providers"
)

// securityKeys are those about security that are heeded.
var securityKeys = []string{
	keyProtocol, keyMechanism, keyJAAS, keyTrustLocation, keyTrustType, keyTrustPassword, keyTrustCertificates, keyStoreLocation,
	keyStoreType, keyStorePassword, keyStoreChain, keyStoreKey, keyKeyPassword, keyIdentification, keyTLSProtocol, keyTLSProtocols,
}

// elsewhere are the beginnings of keys that say something to mechanisms only which
// sasl.mechanism cannot name here.
var elsewhere = []string{
	"sasl.kerberos.", "sasl.oauthbearer.", "sasl.login.refresh.", "sasl.login.retry.", "sasl.login.connect.", "sasl.login.read.",
}

// properties are the values of a file, trimmed but for those of secrets.
type properties map[string]sensitive.Secret

// readProperties reads a file in the form of java.util.Properties, in UTF-8.
func readProperties(path string) (properties, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseProperties(path, b)
}

func parseProperties(path string, b []byte) (properties, error) {
	if !utf8.Valid(b) {
		return nil, fmt.Errorf("%s is not text in UTF-8", path)
	}
	loader := props.Loader{Encoding: props.UTF8, DisableExpansion: true}
	p, err := loader.LoadBytes(b)
	if err != nil { // its text has what stands in the file
		return nil, fmt.Errorf("%s is not a file of properties: check its \\u escapes", path)
	}
	out := make(properties, p.Len())
	for key, value := range p.Map() {
		if !strings.Contains(key, "password") {
			value = strings.TrimSpace(value)
		}
		out[key] = sensitive.NewSecret(value)
	}
	return out, nil
}

// get returns a value that is no secret.
func (p properties) get(key string) string { return p[key].Reveal() }

func (p properties) has(key string) bool { return p.get(key) != "" }

// The values of security.protocol.
const (
	plaintext     = "PLAINTEXT"
	ssl           = "SSL"
	saslPlaintext = "SASL_PLAINTEXT"
	saslSSL       = "SASL_SSL"
)

// way returns the way into the cluster that the file names. Where the user is given
// otherwise, it need not name one.
func (p properties) way(userGiven bool) (w way, err error) {
	if err := p.supported(); err != nil {
		return w, err
	}
	w.seeds = seeds(p.get(keyServers))
	if w.more, err = p.options(); err != nil {
		return w, err
	}
	protocol := strings.ToUpper(p.get(keyProtocol))
	switch protocol {
	case "", plaintext, ssl, saslPlaintext, saslSSL:
	default:
		return w, fmt.Errorf("%s: there is no such protocol; there are %s, %s, %s, %s", keyProtocol, plaintext, ssl, saslPlaintext, saslSSL)
	}
	if protocol == ssl || protocol == saslSSL {
		if w.tls, err = p.tls(); err != nil {
			return w, err
		}
	}
	if protocol == saslPlaintext || protocol == saslSSL {
		w.sasl, err = p.login(userGiven)
	}
	return w, err
}

// supported returns an error that names a key which is set, says how to connect, and
// is not heeded.
func (p properties) supported() error {
	var not []string
	for key := range p {
		about := strings.HasPrefix(key, "ssl.") || strings.HasPrefix(key, "sasl.") || strings.HasPrefix(key, "security.") || key == keyProviders
		isElsewhere := slices.ContainsFunc(elsewhere, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
		if about && p.has(key) && !isElsewhere && !slices.Contains(securityKeys, key) {
			not = append(not, key)
		}
	}
	if len(not) == 0 {
		return nil
	}
	slices.Sort(not)
	return fmt.Errorf("not supported: %s", strings.Join(not, ", "))
}

// options are what kgo takes besides.
func (p properties) options() ([]kgo.Opt, error) {
	var out []kgo.Opt
	if p.has(keyClientID) {
		out = append(out, kgo.ClientID(p.get(keyClientID)))
	}
	for _, o := range []struct {
		key    string
		option func(time.Duration) kgo.Opt
	}{
		{keyRequestTimeout, kgo.RequestTimeoutOverhead},
		{keyAPITimeout, kgo.RetryTimeout},
		{keyMetadataMaxAge, kgo.MetadataMaxAge},
	} {
		if !p.has(o.key) {
			continue
		}
		ms, err := strconv.ParseInt(p.get(o.key), 10, 32)
		if err != nil || ms <= 0 {
			return nil, fmt.Errorf("%s is not a number of milliseconds above zero", o.key)
		}
		out = append(out, o.option(time.Duration(ms)*time.Millisecond))
	}
	return out, nil
}

// login returns the SASL user, or only the mechanism of one who is given otherwise.
func (p properties) login(userGiven bool) (*login, error) {
	name := p.get(keyMechanism)
	if name == "" && userGiven {
		return nil, nil
	}
	if name == "" {
		return nil, fmt.Errorf("%s is not set, which means GSSAPI; there are %s", keyMechanism, strings.Join(Mechanisms(), ", "))
	}
	if !slices.Contains(Mechanisms(), name) {
		return nil, fmt.Errorf("%s: it is not supported; there are %s", keyMechanism, strings.Join(Mechanisms(), ", "))
	}
	if userGiven {
		return &login{name: name}, nil
	}
	if !p.has(keyJAAS) {
		return nil, fmt.Errorf("%s is not set", keyJAAS)
	}
	module, err := parseJAAS(p.get(keyJAAS))
	if err == nil {
		err = module.check(name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyJAAS, err)
	}
	return &login{name: name, user: module.options["username"].Reveal(), password: module.options["password"], token: module.token()}, nil
}

// check returns an error if a module is not the one of a mechanism, or has no user.
func (m jaasModule) check(mechanism string) error {
	want := scramModule
	if mechanism == saslPlain {
		want = plainModule
	}
	switch {
	case m.name != plainModule && m.name != scramModule:
		return fmt.Errorf("the login module is not supported; there are %s, %s", plainModule, scramModule)
	case m.name != want:
		return fmt.Errorf("the login module is not the one of %s, which is %s", mechanism, want)
	case m.options["username"].Reveal() == "":
		return errors.New("it has no username")
	case m.options["password"].Reveal() == "":
		return errors.New("it has no password")
	}
	return nil
}
