package integration_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

func scramAs(user, password string) sasl.Mechanism {
	return scram.Auth{User: user, Pass: password}.AsSha256Mechanism()
}

func plainAs(user, password string) sasl.Mechanism {
	return plain.Auth{User: user, Pass: password}.AsMechanism()
}

func TestRecordsGoRoundOnEveryListener(t *testing.T) {
	c := kafka(t)
	password := kafkatest.Password(kafkatest.Admin)
	for what, tt := range map[string]struct {
		addrs               []string
		opts                []kgo.Opt
		listener, principal string
	}{
		"plain": {c.Addrs(), nil, "PLAINTEXT", "User:ANONYMOUS"},
		"TLS":   {c.SSLAddrs(), []kgo.Opt{kgo.DialTLSConfig(c.TLSConfig())}, "SSL", "User:ANONYMOUS"},
		"SCRAM": {c.SASLAddrs(), []kgo.Opt{kgo.SASL(scramAs(kafkatest.Admin, password))}, "SASL_PLAINTEXT", "User:admin"},
		"PLAIN": {c.SASLAddrs(), []kgo.Opt{kgo.SASL(plainAs(kafkatest.Admin, password))}, "SASL_PLAINTEXT", "User:admin"},
	} {
		t.Run(what, func(t *testing.T) {
			const records = 30
			topic, clientID := newTopic(t, c, 3, 3), name(t)
			cl := bare(t, tt.addrs, append(tt.opts, kgo.ClientID(clientID), kgo.ConsumeTopics(topic),
				kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))...)
			produce(t, cl, topic, records)
			consume(t, cl, records)

			var produced []kafkatest.Request
			require.Eventually(t, func() bool {
				requests, err := c.Requests(clientID)
				require.NoError(t, err)
				produced = slices.DeleteFunc(requests, func(r kafkatest.Request) bool { return r.Name != "PRODUCE" })
				return len(produced) > 0
			}, patience, poll, "the request log has the Produce")
			assert.Equal(t, tt.listener, produced[0].Listener)
			assert.Equal(t, tt.principal, produced[0].Principal)
		})
	}
}

func TestWrongPasswordIsRefused(t *testing.T) {
	c := kafka(t)
	for what, mechanism := range map[string]func(user, password string) sasl.Mechanism{
		"SCRAM": scramAs,
		"PLAIN": plainAs,
	} {
		t.Run(what, func(t *testing.T) {
			right := bare(t, c.SASLAddrs(), kgo.SASL(mechanism(kafkatest.Alice, kafkatest.Password(kafkatest.Alice))))
			require.NoError(t, right.Ping(withTimeout(t)))
			wrong := bare(t, c.SASLAddrs(), kgo.SASL(mechanism(kafkatest.Alice, "wrong")))
			require.ErrorIs(t, wrong.Ping(withTimeout(t)), kerr.SaslAuthenticationFailed)
		})
	}
}

func TestCertificateOfAnotherAuthorityIsRefused(t *testing.T) {
	c := kafka(t)
	config := c.TLSConfig()
	require.NoError(t, bare(t, c.SSLAddrs(), kgo.DialTLSConfig(config)).Ping(withTimeout(t)))
	config.RootCAs = nil // the system's
	require.ErrorContains(t, bare(t, c.SSLAddrs(), kgo.DialTLSConfig(config)).Ping(withTimeout(t)), "certificate")
}
