package connect

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// issued is a certificate of an authority, with its key.
type issued struct {
	cert    *x509.Certificate
	key     *ecdsa.PrivateKey
	certPEM string
	keyPEM  string
}

func (i issued) tls() tls.Certificate {
	return tls.Certificate{Certificate: [][]byte{i.cert.Raw}, PrivateKey: i.key}
}

// issue makes a certificate that by signs, or one that signs itself. With names it is
// a server's, for these and no address.
func issue(t *testing.T, by *issued, names ...string) issued {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "test"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(time.Hour), DNSNames: names,
	}
	if names == nil {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1)}
	}
	parent, signer := template, key
	if by == nil {
		template.IsCA, template.BasicConstraintsValid = true, true
	} else {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return issued{
		cert, key,
		string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})),
	}
}

// secure is a reference broker with TLS, whom it is signed by, and a client.
type secure struct {
	addr       string
	ca, client issued
}

// startTLS starts a broker whose certificate has the names, or the loopback address.
// With mutual it wants one of its clients too.
func startTLS(t *testing.T, mutual bool, names ...string) secure {
	t.Helper()
	return startTLSWith(t, mutual, names)
}

func startTLSWith(t *testing.T, mutual bool, names []string, opts ...fakebroker.Option) secure {
	t.Helper()
	ca := issue(t, nil)
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{issue(t, &ca, names...).tls()}}
	if mutual {
		cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		cfg.ClientCAs.AddCert(ca.cert)
	}
	return secure{start(t, append(opts, fakebroker.TLS(cfg))...), ca, issue(t, &ca)}
}
