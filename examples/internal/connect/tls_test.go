package connect

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// certificate returns a certificate for the loopback address that signs itself,
// and its PEM text.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, string(text)
}

func TestTLSTrustsTheGivenCAOnly(t *testing.T) {
	cert, text := certificate(t)
	broker, err := fakebroker.New(fakebroker.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}))
	require.NoError(t, err)
	defer broker.Close()

	target, err := flags(t, "-brokers", broker.Addrs()[0], "-tls-ca", file(t, text)).Target()
	require.NoError(t, err)
	require.NoError(t, target.Reach(withTimeout(t), newClient(t, target)))

	target, err = flags(t, "-brokers", broker.Addrs()[0], "-tls").Target()
	require.NoError(t, err)
	require.ErrorContains(t, target.Reach(withTimeout(t), newClient(t, target)), "certificate")
}
