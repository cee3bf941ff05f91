package connect

import (
	"crypto/x509"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"software.sslmate.com/src/go-pkcs12"
)

// continued writes a PEM text into one value of a file of properties, as Kafka's
// documentation does.
func continued(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "\\\n  ")
}

func TestStoresOfEveryTypeLetInAndVerify(t *testing.T) {
	b := startTLS(t, true)
	trust, err := pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{b.ca.cert}, secret)
	require.NoError(t, err)
	open, err := pkcs12.Passwordless.EncodeTrustStore([]*x509.Certificate{b.ca.cert}, "")
	require.NoError(t, err)
	keys, err := pkcs12.Modern.Encode(b.client.key, b.client.cert, []*x509.Certificate{b.ca.cert}, secret)
	require.NoError(t, err)
	trusts := map[string]string{
		"PEM file":           "ssl.truststore.type=PEM\nssl.truststore.location=" + file(t, b.ca.certPEM),
		"PEM text":           "ssl.truststore.type=PEM\nssl.truststore.certificates=" + continued(b.ca.certPEM),
		"PKCS12":             "ssl.truststore.type=PKCS12\nssl.truststore.password=" + secret + "\nssl.truststore.location=" + file(t, string(trust)),
		"PKCS12 called JKS":  "ssl.truststore.type=JKS\nssl.truststore.password=" + secret + "\nssl.truststore.location=" + file(t, string(trust)),
		"PKCS12 without one": "ssl.truststore.location=" + file(t, string(open)),
	}
	stores := map[string]string{
		"PEM file": "ssl.keystore.type=PEM\nssl.keystore.location=" + file(t, b.client.keyPEM+b.client.certPEM),
		"PEM text": "ssl.keystore.type=PEM\nssl.keystore.key=" + continued(b.client.keyPEM) + "\nssl.keystore.certificate.chain=" + continued(b.client.certPEM),
		"PKCS12":   "ssl.keystore.type=PKCS12\nssl.keystore.password=" + secret + "\nssl.key.password=" + secret + "\nssl.keystore.location=" + file(t, string(keys)),
	}
	for trustName, trust := range trusts {
		for storeName, store := range stores {
			if trustName != "PEM file" && storeName != "PEM file" {
				continue
			}
			t.Run(trustName+" and "+storeName, func(t *testing.T) {
				config := "security.protocol=ssl\n" + trust + "\n" + store + "\n"
				require.NoError(t, ping(t, "--bootstrap-server", b.addr, "--command-config", file(t, config)))
			})
		}
	}
}

func TestStoresThatCannotBeReadSayWhy(t *testing.T) {
	ca := issue(t, nil)
	trust, err := pkcs12.Modern.EncodeTrustStore([]*x509.Certificate{ca.cert}, "other")
	require.NoError(t, err)
	keys, err := pkcs12.Modern.Encode(ca.key, ca.cert, nil, "other")
	require.NoError(t, err)
	encrypted := strings.ReplaceAll(ca.keyPEM, "PRIVATE", "ENCRYPTED PRIVATE")
	for _, tt := range []struct{ config, says string }{
		{"ssl.truststore.password=" + secret + "\nssl.truststore.location=" + file(t, string(trust)), "does not open with ssl.truststore.password"},
		{"ssl.truststore.location=" + file(t, "\xfe\xed\xfe\xed\x00\x00"), "keytool -importkeystore"},
		{"ssl.truststore.location=" + file(t, secret), "ssl.truststore.location"},
		{"ssl.truststore.type=PEM\nssl.truststore.location=" + file(t, secret), "no certificate"},
		{"ssl.truststore.type=BCFKS\nssl.truststore.location=" + file(t, secret), "not supported"},
		{"ssl.truststore.certificates=" + continued(ca.certPEM), "needs ssl.truststore.type=PEM"},
		{"ssl.truststore.type=PEM\nssl.truststore.location=x\nssl.truststore.certificates=" + continued(ca.certPEM), "exclude each other"},
		{"ssl.truststore.type=PEM\nssl.truststore.certificates=" + secret, "ssl.truststore.certificates: there is no certificate"},
		{"ssl.keystore.password=" + secret + "\nssl.keystore.location=" + file(t, string(keys)), "does not open with ssl.keystore.password"},
		{"ssl.keystore.password=other\nssl.key.password=" + secret + "\nssl.keystore.location=" + file(t, string(keys)), "differ"},
		{"ssl.keystore.type=PEM\nssl.keystore.location=" + file(t, encrypted+ca.certPEM), "is encrypted"},
		{"ssl.keystore.type=PEM\nssl.keystore.location=" + file(t, ca.certPEM), "key"},
		{"ssl.keystore.type=PEM\nssl.keystore.key=" + continued(ca.keyPEM), "go together"},
		{"ssl.keystore.key=" + secret, "ssl.keystore.type=PEM"},
		{"ssl.keystore.type=PEM\nssl.keystore.location=x\nssl.keystore.key=" + secret, "exclude each other"},
	} {
		err := refused(t, "--bootstrap-server", "localhost:1", "--command-config", file(t, "security.protocol=SSL\n"+tt.config))
		assert.ErrorContains(t, err, tt.says, tt.config)
	}
}
