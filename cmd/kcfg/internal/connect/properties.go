package connect

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/propfile"
	"github.com/kcfg-go/kcfg/sensitive"
)

// properties are the values of a file, trimmed but for those of secrets.
type properties map[string]sensitive.Secret

// readProperties reads a file in the form of java.util.Properties, in UTF-8.
func readProperties(path string) (properties, error) {
	if path == "-" {
		path = "./-" // standard input is for passwords
	}
	read, err := propfile.Read(nil, path)
	if err != nil {
		return nil, err
	}
	return propertiesOf(read), nil
}

func propertiesOf(read []kcfg.KeyValue) properties {
	out := make(properties, len(read))
	for _, kv := range read {
		value := kv.Value
		if !strings.Contains(kv.Key, "password") {
			value = strings.TrimSpace(value)
		}
		out[kv.Key] = sensitive.NewSecret(value)
	}
	return out
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
