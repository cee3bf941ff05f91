package fakebroker

import (
	"context"
	"crypto/tls"
	"crypto/x509/pkix"
	"io"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

func mechanism(name, user, password string) sasl.Mechanism {
	auth := scram.Auth{User: user, Pass: password}
	switch name {
	case mechanismPlain:
		return plain.Auth{User: user, Pass: password}.AsMechanism()
	case mechanismScram256:
		return auth.AsSha256Mechanism()
	}
	return auth.AsSha512Mechanism()
}

// handshake begins an authentication.
func (r *rawClient) handshake(mechanism string) (code int16) {
	r.t.Helper()
	req := requestAt(kmsg.NewPtrSASLHandshakeRequest(), 1)
	req.Mechanism = mechanism
	r.send(req, 1000)
	return answerOf(r.t, r.read(), kmsg.NewPtrSASLHandshakeResponse(), 1).ErrorCode
}

// token sends one SASL message and returns the broker's.
func (r *rawClient) token(version int16, token []byte) []byte {
	r.t.Helper()
	req := requestAt(kmsg.NewPtrSASLAuthenticateRequest(), version)
	req.SASLAuthBytes = token
	r.send(req, 1001)
	resp := answerOf(r.t, r.read(), kmsg.NewPtrSASLAuthenticateResponse(), version)
	require.Zero(r.t, resp.ErrorCode)
	return resp.SASLAuthBytes
}

// authenticate runs an authentication: whole, or without its messages from
// number stop on.
func (r *rawClient) authenticate(version int16, m sasl.Mechanism, stop ...int) {
	r.t.Helper()
	if slices.Contains(stop, 0) {
		return
	}
	require.Zero(r.t, r.handshake(m.Name()))
	session, token, err := m.Authenticate(context.Background(), "")
	require.NoError(r.t, err)
	for step := 1; !slices.Contains(stop, step); step++ {
		challenge := r.token(version, token)
		done, next, err := session.Challenge(challenge)
		require.NoError(r.t, err)
		if done {
			return
		}
		token = next
	}
}

func saslCluster(t *testing.T, mechanism string, opts ...Option) *Cluster {
	t.Helper()
	return start(t, append(opts, Policy(&RecordPolicy{}),
		SASL(User{mechanism, "a,lice=", "wonder"}, User{mechanism, "bob", "builder"}))...)
}

func TestOursIsRefusedAtEveryPointBeforeAuthenticationIsComplete(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mechanism string
		steps     int
	}{{mechanismPlain, 2}, {mechanismScram256, 3}, {mechanismScram512, 3}} {
		for stop := range tt.steps {
			t.Run(tt.mechanism+" "+strconv.Itoa(stop), func(t *testing.T) {
				t.Parallel()
				c := saslCluster(t, tt.mechanism)
				r := dial(t, c, 0)
				r.authenticate(2, mechanism(tt.mechanism, "a,lice=", "wonder"), stop)
				r.send(pushOf(t, entry("k", "v")), 1)
				r.requireClosed()
				require.Empty(t, c.Pushes())
				require.Equal(t, Answer{Outcome: Refused, Detail: "fakebroker: connection closed: the connection is not authenticated"}, c.Requests()[0].Answer)
			})
		}
	}
}

func TestKafkasOwnRequestsAreRefusedBeforeAuthenticationToo(t *testing.T) {
	t.Parallel()
	r := dial(t, saslCluster(t, mechanismPlain), 0)
	r.send(metadataOf(), 1)
	r.requireClosed()
}

func TestApiVersionsIsPatchedBeforeAuthenticationToo(t *testing.T) {
	t.Parallel()
	key, feature := advertised(t, saslCluster(t, mechanismPlain), 0)
	require.True(t, key)
	require.True(t, feature)
}

func TestThePrincipalIsTheAuthenticatedUser(t *testing.T) {
	t.Parallel()
	for _, name := range []string{mechanismPlain, mechanismScram256, mechanismScram512} {
		for version := range int16(3) {
			t.Run(name+" "+strconv.Itoa(int(version)), func(t *testing.T) {
				t.Parallel()
				c := saslCluster(t, name)
				r := dial(t, c, 0)
				r.authenticate(version, mechanism(name, "a,lice=", "wonder"))
				r.send(pushOf(t), 1)
				require.Zero(t, pushed(t, r.read()).ErrorCode)
				require.Equal(t, "a,lice=", c.Pushes()[0].Context.Principal)
				require.Equal(t, "SASL_PLAINTEXT", c.Pushes()[0].Context.Security)
			})
		}
	}
}

func TestAWrongPasswordIsNotAuthenticated(t *testing.T) {
	t.Parallel()
	c := saslCluster(t, mechanismPlain)
	r := dial(t, c, 0)
	require.Zero(t, r.handshake(mechanismPlain))
	req := requestAt(kmsg.NewPtrSASLAuthenticateRequest(), 2)
	req.SASLAuthBytes = []byte("\x00bob\x00wonder")
	r.send(req, 1)
	r.send(pushOf(t), 2)
	_, _ = io.Copy(io.Discard, r.Conn) // the refusal, if the unread push does not reset the connection before it
	require.Empty(t, c.Pushes())
}

// kfake lets a user in whom it does not know, with an empty password.
func TestAnEmptyPasswordNamesNobody(t *testing.T) {
	t.Parallel()
	c := saslCluster(t, mechanismPlain)
	r := dial(t, c, 0)
	require.Zero(t, r.handshake(mechanismPlain))
	r.token(2, []byte("\x00mallory\x00"))
	r.send(pushOf(t), 1)
	r.requireClosed()
	require.Empty(t, c.Pushes())
}

// A control function can answer too.
func TestARefusedAuthenticationIsNotOne(t *testing.T) {
	t.Parallel()
	c := saslCluster(t, mechanismPlain)
	c.Kfake().ControlKey(keySASLAuthenticate, func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = 58
		return resp, nil, true
	})
	r := dial(t, c, 0)
	require.Zero(t, r.handshake(mechanismPlain))
	req := requestAt(kmsg.NewPtrSASLAuthenticateRequest(), 2)
	req.SASLAuthBytes = []byte("\x00bob\x00builder")
	r.send(req, 1)
	r.read()
	r.send(pushOf(t), 2)
	r.requireClosed()
}

func TestAnUnknownMechanismLeavesTheConnectionAsItWas(t *testing.T) {
	t.Parallel()
	c := saslCluster(t, mechanismPlain)
	r := dial(t, c, 0)
	require.EqualValues(t, 33, r.handshake("GSSAPI"))
	r.authenticate(2, mechanism(mechanismPlain, "bob", "builder"))
	require.EqualValues(t, 34, r.handshake(mechanismPlain), "no session lifetime, no new authentication")
	r.send(pushOf(t), 1)
	require.Zero(t, pushed(t, r.read()).ErrorCode)
	require.Equal(t, "bob", c.Pushes()[0].Context.Principal)
}

func TestOursIsRefusedWithinANewAuthentication(t *testing.T) {
	t.Parallel()
	c := saslCluster(t, mechanismScram256, KfakeOpts(kfake.BrokerConfigs(map[string]string{"connections.max.reauth.ms": "3600000"})))
	m := mechanism(mechanismScram256, "bob", "builder")
	r := dial(t, c, 0)
	for range 3 {
		r.authenticate(2, m)
		r.send(pushOf(t), 1)
		require.Zero(t, pushed(t, r.read()).ErrorCode)
	}
	require.Zero(t, r.handshake(m.Name()))
	r.send(pushOf(t), 1)
	r.requireClosed()
	require.Len(t, c.Pushes(), 3)
}

func TestUsersMayComeFromKfake(t *testing.T) {
	t.Parallel()
	c := start(t, SASL(), KfakeOpts(kfake.Superuser(mechanismPlain, "root", "toor")), Policy(&RecordPolicy{}))
	r := dial(t, c, 0)
	r.authenticate(2, mechanism(mechanismPlain, "root", "toor"))
	r.send(pushOf(t), 1)
	require.Zero(t, pushed(t, r.read()).ErrorCode)
	require.Equal(t, "root", c.Pushes()[0].Context.Principal)
}

func TestThePrincipalOfATLSClientIsItsCertificatesSubject(t *testing.T) {
	t.Parallel()
	ca := newAuthority(t)
	c := start(t, TLS(ca.server(t, tls.VerifyClientCertIfGiven)), Policy(&RecordPolicy{}))
	subject := pkix.Name{CommonName: "client", Organization: []string{"org"}}
	for _, tt := range []struct {
		certs []tls.Certificate
		want  string
	}{
		{nil, "ANONYMOUS"},
		{[]tls.Certificate{ca.issue(t, subject)}, "CN=client,O=org"},
	} {
		r := raw(t, tls.Client(dial(t, c, 0).Conn, ca.client(tt.certs...)))
		r.send(pushOf(t), 1)
		require.Zero(t, pushed(t, r.read()).ErrorCode)
		pushes := c.Pushes()
		require.Equal(t, tt.want, pushes[len(pushes)-1].Context.Principal)
		require.Equal(t, "SSL", pushes[0].Context.Security)
	}
}

func TestAWrongUserGetsKafkasAnswerBeforeTheConnectionCloses(t *testing.T) {
	t.Parallel()
	for _, name := range []string{mechanismPlain, mechanismScram256, mechanismScram512} {
		for _, who := range [][2]string{{"bob", "wrong"}, {"nobody", "builder"}} {
			c := saslCluster(t, name)
			cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...), kgo.SASL(mechanism(name, who[0], who[1])))
			require.NoError(t, err)
			require.ErrorIs(t, cl.Ping(t.Context()), kerr.SaslAuthenticationFailed, "%s %s", name, who)
			cl.Close()
		}
	}
}

func TestAScriptThatClosesAnExchangeIsNotARefusal(t *testing.T) {
	t.Parallel()
	c := saslCluster(t, mechanismPlain)
	c.Script(Fault{Keys: []int16{keySASLAuthenticate}, Close: CloseBeforeAnswer, Count: -1})
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...), kgo.SASL(mechanism(mechanismPlain, "bob", "builder")))
	require.NoError(t, err)
	defer cl.Close()
	err = cl.Ping(t.Context())
	require.ErrorIs(t, err, io.EOF)
	require.NotErrorIs(t, err, kerr.SaslAuthenticationFailed)
}
