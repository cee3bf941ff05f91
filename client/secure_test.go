package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// certificate returns the config of a TLS server for a name and the address
// 127.0.0.1, and that of a client which trusts it.
func certificate(t *testing.T, name string) (server, trusting *tls.Config) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: name},
		DNSNames:              []string{name},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().Add(time.Hour),
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	server = &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
	}
	return server, &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
}

func mechanisms(user, password string) map[string]sasl.Mechanism {
	return map[string]sasl.Mechanism{
		"PLAIN":         plain.Auth{User: user, Pass: password}.AsMechanism(),
		"SCRAM-SHA-256": scram.Auth{User: user, Pass: password}.AsSha256Mechanism(),
		"SCRAM-SHA-512": scram.Auth{User: user, Pass: password}.AsSha512Mechanism(),
	}
}

func TestPushOverTLSAndSASLTellsThePrincipalAndNoPassword(t *testing.T) {
	const user, password = "alice", "hunter2-hunter2"
	server, trusting := certificate(t, "localhost")
	for name, mechanism := range mechanisms(user, password) {
		for _, secure := range []bool{false, true} {
			label := name
			if secure {
				label += " over TLS"
			}
			t.Run(label, func(t *testing.T) {
				brokers := []fakebroker.Option{fakebroker.Brokers(3), fakebroker.SASL(fakebroker.User{Mechanism: name, Name: user, Password: password})}
				var opts []client.Option
				if secure {
					brokers = append(brokers, fakebroker.TLS(server))
					opts = append(opts, client.DialTLSConfig(trusting))
				}
				c := cluster(t, brokers...)
				log := &logger{}
				cl := newClient(t, seeds(c, kgo.SASL(mechanism), kgo.WithLogger(log), kgo.ConsumeTopics("orders")), opts...)
				require.NoError(t, cl.PushConfig(withTimeout(t)))
				produce(t, cl.Client, 1000)
				consume(t, cl.Client, 1000)

				rc := c.Pushes()[0].Context
				assert.Equal(t, user, rc.Principal)
				for _, e := range c.Requests()[0].Entries {
					assert.NotContains(t, e.Value, password)
					assert.NotContains(t, e.Key, "sasl")
				}
				assert.Empty(t, log.about(password))
				assert.Zero(t, cl.Status().Connections.Untracked)
			})
		}
	}
}

func TestAnUntrustedBrokerIsNotTalkedTo(t *testing.T) {
	server, _ := certificate(t, "localhost")
	_, other := certificate(t, "localhost")
	c := cluster(t, fakebroker.TLS(server))
	cl := newClient(t, seeds(c), client.DialTLSConfig(other))
	var unknown *tls.CertificateVerificationError
	err := cl.Ping(withTimeout(t))
	require.ErrorAs(t, err, &unknown, "%v", err)
	assert.Zero(t, c.Count(fakebroker.AnyNode, 18))
}

func TestTLSRunsOverTheApplicationsDialer(t *testing.T) {
	server, trusting := certificate(t, "broker.internal")
	c := cluster(t, fakebroker.TLS(server))
	trusting.ServerName = "broker.internal"
	var dialed atomic.Int32
	dial := func(ctx context.Context, network, host string) (net.Conn, error) {
		dialed.Add(1)
		return (&net.Dialer{}).DialContext(ctx, network, host)
	}
	cl := newClient(t, seeds(c), client.Dialer(dial), client.DialTLSConfig(trusting))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	assert.Positive(t, dialed.Load())
	assert.Equal(t, "SSL", c.Pushes()[0].Context.Security)

	// A failed handshake closes what the dialer opened and tells why.
	_, stranger := certificate(t, "broker.internal")
	bad := newClient(t, seeds(c), client.Dialer(dial), client.DialTLSConfig(stranger))
	require.ErrorContains(t, bad.Ping(withTimeout(t)), "certificate")
}

// A peer that accepts and says nothing: the handshake has the dial's timeout.
func TestATLSHandshakeOverTheApplicationsDialerTimesOut(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	_, trusting := certificate(t, "localhost")
	cl := newClient(t, []kgo.Opt{kgo.SeedBrokers(l.Addr().String()), kgo.DialTimeout(50 * time.Millisecond), kgo.RequestRetries(0), kgo.RetryTimeout(100 * time.Millisecond)},
		client.Dialer((&net.Dialer{}).DialContext), client.DialTLSConfig(trusting))
	require.Error(t, cl.Ping(context.Background())) // no context ends it
}

func TestTheDialTimeoutOfTheClientIsKept(t *testing.T) {
	c := cluster(t)
	// A timeout that has passed before the dial began fails every dial.
	cl := newClient(t, seeds(c, kgo.DialTimeout(time.Nanosecond)))
	err := cl.Ping(withTimeout(t))
	require.ErrorContains(t, err, "i/o timeout")
}
