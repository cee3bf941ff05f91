package connect

import (
	"testing"

	"github.com/stretchr/testify/require"
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
	// What the flags replace need not be readable.
	broken := file(t, "security.protocol=SSL\nssl.truststore.location=no/such/file\n")
	require.NoError(t, ping(t, "--bootstrap-server", secured.addr, "--command-config", broken, "--tls-ca", file(t, secured.ca.certPEM)))
}
