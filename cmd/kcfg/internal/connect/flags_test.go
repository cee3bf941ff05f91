package connect

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestFlagsThatContradictEachOtherAreRefused(t *testing.T) {
	at := []string{"--bootstrap-server", "localhost:9092"}
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"no cluster":                   {nil, "--bootstrap-server"},
		"a cluster by both names":      {append(at, "--brokers", "a:1"), "the same"},
		"a list of nothing":            {[]string{"--brokers", " , "}, "--bootstrap-server"},
		"an empty address":             {[]string{"--bootstrap-server", ""}, "--bootstrap-server is empty"},
		"a user without password":      {append(at, "--sasl-user", "alice"), "go together"},
		"a password without user":      {append(at, "--sasl-password-file", "p"), "go together"},
		"a mechanism without user":     {append(at, "--sasl-mechanism", "PLAIN"), "--sasl-user"},
		"a mechanism that is none":     {append(at, "--sasl-user", "alice", "--sasl-password-file", file(t, secret), "--sasl-mechanism", "GUESS"), `"GUESS"`},
		"a password file that is none": {append(at, "--sasl-user", "alice", "--sasl-password-file", "no/such/file"), "--sasl-password-file: open no/such/file"},
		"an empty password":            {append(at, "--sasl-user", "alice", "--sasl-password-file", "-"), "no password"},
		"a CA file that is none":       {append(at, "--tls-ca", "no/such/file"), "--tls-ca: open no/such/file"},
		"a CA file without one":        {append(at, "--tls-ca", file(t, secret)), "no certificate"},
		"a certificate without key":    {append(at, "--tls-cert", "c"), "go together"},
		"a certificate that is none":   {append(at, "--tls-cert", file(t, secret), "--tls-key", file(t, secret)), "--tls-cert"},
		"a name without TLS":           {append(at, "--tls-server-name", "x", "--tls=false"), "--tls=false"},
		"a port that is none":          {[]string{"--brokers", "a:1,b:65536"}, "is host:port"},
		"a port of zero":               {[]string{"--brokers", "a:0"}, "is host:port"},
		"a port without a host":        {[]string{"--brokers", ":9092"}, "is host:port"},
		"a URL":                        {[]string{"--brokers", "PLAINTEXT://" + secret + "@a:1"}, "is host:port"},
		"no file of properties":        {append(at, "--command-config", "no/such/file"), "--command-config: unable to read no/such/file"},
	} {
		t.Run(name, func(t *testing.T) {
			assert.ErrorContains(t, refused(t, tt.args...), tt.says)
		})
	}
}

func TestAnAddressMayComeByEitherName(t *testing.T) {
	for _, name := range []string{"--bootstrap-server", "--brokers"} {
		f := flags(t, name, "a:1, b:2,")
		target, err := f.Target(nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"a:1", "b:2"}, target.Seeds)
		assert.Equal(t, name, "--"+f.Given())
	}
	assert.Empty(t, flags(t).Given())
}

func TestASASLUserGetsIn(t *testing.T) {
	for _, mechanism := range Mechanisms() {
		t.Run(mechanism, func(t *testing.T) {
			addr := start(t, fakebroker.SASL(fakebroker.User{Mechanism: mechanism, Name: "alice", Password: secret}))
			args := []string{"--bootstrap-server", addr, "--sasl-user", "alice", "--sasl-mechanism", mechanism, "--sasl-password-file"}
			require.NoError(t, ping(t, append(args, file(t, secret+"\r\n"))...))
			require.NoError(t, ping(t, append(args, "-")...), "from standard input")
			require.Error(t, ping(t, append(args, file(t, "other"))...))
		})
	}
}

func TestOnlyOneLineBreakEndsAPassword(t *testing.T) {
	for _, tt := range []struct{ text, want string }{{"a\n\n", "a\n"}, {" a ", " a "}, {"a\r\n", "a"}, {"a", "a"}} {
		got, err := readPassword("-", strings.NewReader(tt.text))
		require.NoError(t, err)
		assert.Equal(t, tt.want, got.Reveal(), "%q", tt.text)
	}
	_, err := readPassword("-", strings.NewReader(strings.Repeat("x", maxPassword+1)))
	require.Error(t, err)
}

func TestFlagsWinOverTheFile(t *testing.T) {
	config := "bootstrap.servers=file:1\nclient.id=me\nrequest.timeout.ms=1000\ndefault.api.timeout.ms=2000\nmetadata.max.age.ms=60000\n"
	target, err := flags(t, "--command-config", file(t, config)).Target(nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"file:1"}, target.Seeds)
	assert.Equal(t, "me", option(t, target, kgo.ClientID))
	assert.Equal(t, time.Second, option(t, target, kgo.RequestTimeoutOverhead))
	assert.Equal(t, time.Minute, option(t, target, kgo.MetadataMaxAge))

	target, err = flags(t, "--command-config", file(t, config), "--bootstrap-server", "flag:1").Target(nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"flag:1"}, target.Seeds)
}

func TestAUserOfTheFlagsIsAUserOfTheFilesMechanism(t *testing.T) {
	addr := start(t, fakebroker.SASL(fakebroker.User{Mechanism: saslPlain, Name: "alice", Password: secret}))
	user := []string{"--bootstrap-server", addr, "--sasl-user", "alice", "--sasl-password-file", "-", "--command-config"}
	require.NoError(t, ping(t, append(user, file(t, "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\n"))...))
	require.Error(t, ping(t, append(user, file(t, "security.protocol=SASL_PLAINTEXT\n"))...), "SCRAM-SHA-256 by default")
	require.NoError(t, ping(t, append(user, file(t, "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\n"), "--sasl-mechanism", "PLAIN")...))
}

func TestAMechanismOfTheFlagsMustFitTheLoginModule(t *testing.T) {
	scram := "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\nsasl.jaas.config=" + scramModule + ` required username="a" password="` + secret + `";`
	args := []string{"--bootstrap-server", "localhost:1", "--command-config", file(t, scram), "--sasl-mechanism"}
	_, err := flags(t, append(args, "SCRAM-SHA-512")...).Target(nil)
	require.NoError(t, err)
	require.ErrorContains(t, refused(t, append(args, "PLAIN")...), "login module")
	require.ErrorContains(t, refused(t, "--bootstrap-server", "localhost:1", "--command-config", file(t, ""), "--sasl-mechanism", "PLAIN"), "--sasl-user")
}
