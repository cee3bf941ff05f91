package connect

import (
	"fmt"
	"slices"
	"strings"
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
