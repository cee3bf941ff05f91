package connect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestTLSTrustsTheGivenCAOnly(t *testing.T) {
	b := startTLS(t, false)
	at := []string{"--bootstrap-server", b.addr}
	require.NoError(t, ping(t, append(at, "--tls-ca", file(t, b.ca.certPEM))...))
	require.ErrorContains(t, ping(t, append(at, "--tls")...), "certificate")
	require.ErrorContains(t, ping(t, append(at, "--tls-ca", file(t, issue(t, nil).certPEM))...), "certificate")
	require.Error(t, ping(t, at...), "in plaintext")
}

func TestABrokerGetsTheCertificateThatItAsksFor(t *testing.T) {
	b := startTLS(t, true)
	at := []string{"--bootstrap-server", b.addr, "--tls-ca", file(t, b.ca.certPEM)}
	require.NoError(t, ping(t, append(at, "--tls-cert", file(t, b.client.certPEM), "--tls-key", file(t, b.client.keyPEM))...))
	require.Error(t, ping(t, at...))
	stranger := issue(t, nil)
	require.Error(t, ping(t, append(at, "--tls-cert", file(t, stranger.certPEM), "--tls-key", file(t, stranger.keyPEM))...))
}

func TestTheNameInACertificateIsChecked(t *testing.T) {
	b := startTLS(t, false, "kafka.example")
	at := []string{"--bootstrap-server", b.addr, "--tls-ca", file(t, b.ca.certPEM)}
	require.ErrorContains(t, ping(t, at...), "127.0.0.1")
	require.NoError(t, ping(t, append(at, "--tls-server-name", "kafka.example")...))
	require.ErrorContains(t, ping(t, append(at, "--tls-server-name", "other.example")...), "other.example")
}

func TestAnEmptyAlgorithmLeavesTheNameAndNotTheChain(t *testing.T) {
	b := startTLS(t, false, "kafka.example")
	anyName := "security.protocol=SSL\nssl.endpoint.identification.algorithm=\nssl.truststore.type=PEM\nssl.truststore.location="
	at := []string{"--bootstrap-server", b.addr, "--command-config"}
	require.NoError(t, ping(t, append(at, file(t, anyName+file(t, b.ca.certPEM)))...))
	require.ErrorContains(t, ping(t, append(at, file(t, anyName+file(t, issue(t, nil).certPEM)))...), "unknown authority")
	require.ErrorContains(t, ping(t, append(at, file(t, anyName+file(t, b.ca.certPEM)), "--tls-server-name", "other.example")...), "other.example",
		"who names the name wants it to be checked")
}

func TestFlagsSwitchTheFilesTLSOnAndOff(t *testing.T) {
	secured, plain := startTLS(t, false), start(t)
	ssl := file(t, "security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location="+file(t, secured.ca.certPEM))
	require.NoError(t, ping(t, "--bootstrap-server", secured.addr, "--command-config", ssl))
	require.Error(t, ping(t, "--bootstrap-server", plain, "--command-config", ssl), "the file says TLS, and no flag does not")
	require.NoError(t, ping(t, "--bootstrap-server", plain, "--command-config", ssl, "--tls=false"))
	require.NoError(t, ping(t, "--bootstrap-server", secured.addr, "--command-config", file(t, "security.protocol=PLAINTEXT"),
		"--tls-ca", file(t, secured.ca.certPEM)))
	// With TLS by a flag, what the file says of TLS counts.
	trusts := file(t, "ssl.truststore.type=PEM\nssl.truststore.location="+file(t, secured.ca.certPEM))
	require.NoError(t, ping(t, "--bootstrap-server", secured.addr, "--command-config", trusts, "--tls"))
	require.NoError(t, ping(t, "--bootstrap-server", plain, "--command-config", trusts), "which TLS does not follow from")
	require.ErrorContains(t, ping(t, "--bootstrap-server", secured.addr, "--command-config", trusts, "--tls-server-name", "other.example"), "other.example")
	// What the flags replace need not be readable.
	require.NoError(t, ping(t, "--bootstrap-server", plain, "--command-config", file(t, "security.protocol=SSL\nssl.keystore.location=no/such/file\n"), "--tls=false"))
	broken := file(t, "security.protocol=SSL\nssl.truststore.location=no/such/file\n")
	require.NoError(t, ping(t, "--bootstrap-server", secured.addr, "--command-config", broken, "--tls-ca", file(t, secured.ca.certPEM)))
}

func TestAUserGetsInOverTLS(t *testing.T) {
	b := startTLSWith(t, false, nil, fakebroker.SASL(fakebroker.User{Mechanism: saslPlain, Name: "alice", Password: secret}))
	at := []string{"--bootstrap-server", b.addr, "--command-config"}
	config := "security.protocol=sasl_ssl\nsasl.mechanism=PLAIN\nssl.truststore.type=PEM\nssl.truststore.location=" + file(t, b.ca.certPEM) + "\n" + jaas(plainModule, "")
	require.NoError(t, ping(t, append(at, file(t, config))...))
	require.Error(t, ping(t, append(at, file(t, strings.Replace(config, "sasl_ssl", "SASL_PLAINTEXT", 1)))...), "without TLS")
	require.Error(t, ping(t, append(at, file(t, strings.Replace(config, "sasl_ssl", "SSL", 1)))...), "without the user")
	require.NoError(t, ping(t, "--bootstrap-server", b.addr, "--tls-ca", file(t, b.ca.certPEM), "--sasl-user", "alice",
		"--sasl-password-file", "-", "--sasl-mechanism", "PLAIN"))
}
