package connect

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/propfile"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func jaas(module, rest string) string {
	return "sasl.jaas.config=" + module + ` required username="alice" password="` + secret + `"` + rest + ";\n"
}

func TestAFileOfPropertiesLetsItsUserIn(t *testing.T) {
	for _, mechanism := range Mechanisms() {
		t.Run(mechanism, func(t *testing.T) {
			module := scramModule
			if mechanism == saslPlain {
				module = plainModule
			}
			addr := start(t, fakebroker.SASL(fakebroker.User{Mechanism: mechanism, Name: "alice", Password: secret}))
			config := "# a comment\nbootstrap.servers = " + addr + "\nsecurity.protocol: SASL_PLAINTEXT\nsasl.mechanism=" + mechanism + " \n" + jaas(module, "")
			require.NoError(t, ping(t, "--command-config", file(t, config)))
		})
	}
}

func TestPropertiesAreReadAsJavaReadsThem(t *testing.T) {
	p, err := parseProperties([]byte("a = ${b} \r\nb:c\\\r\n   d\r\nssl.key.password=x \nu=\\u00e9\\\\\nc d\n! no\n# no\ne=zo\u00eb\na=2\nempty=\n"))
	require.NoError(t, err)
	assert.Equal(t, map[string]string{
		"a": "2", "b": "cd", "ssl.key.password": "x ", "u": "\u00e9\\", "c": "d", "e": "zo\u00eb", "empty": "",
	}, revealed(p))
	p, err = parseProperties([]byte("a = ${b} \n"))
	require.NoError(t, err)
	assert.Equal(t, "${b}", p.get("a"), "nothing is put in")
}

func TestAFileThatIsNotOfPropertiesIsNotShown(t *testing.T) {
	for _, text := range []string{"sasl.jaas.config=" + secret + "\\uzzzz", secret + "\xff"} {
		err := refused(t, "--bootstrap-server", "localhost:1", "--command-config", file(t, text))
		assert.ErrorContains(t, err, "--command-config")
	}
}

// What a file asks for and is not done here must not be left out in silence.
func TestWhatIsNotSupportedIsNamed(t *testing.T) {
	overSASL := "security.protocol=SASL_PLAINTEXT\n"
	for _, tt := range []struct{ config, says string }{
		{"security.protocol=" + secret, "security.protocol"},
		{"ssl.engine.factory.class=" + secret, "ssl.engine.factory.class"},
		{"sasl.login.callback.handler.class=" + secret + "\nssl.cipher.suites=x", "ssl.cipher.suites"},
		{"sasl.client.callback.handler.class=x\nssl.cipher.suites=x", "sasl.client.callback.handler.class, ssl.cipher.suites"},
		{"security.providers=x", "security.providers"},
		{"config.providers=file", "config.providers"},
		{"security.protocol=SSL\nssl.protocol=TLSv1.2", "ssl.protocol"},
		{"security.protocol=SSL\nssl.enabled.protocols=TLSv1.3", "ssl.enabled.protocols"},
		{"security.protocol=SSL\nssl.endpoint.identification.algorithm=LDAPS", "ssl.endpoint.identification.algorithm"},
		{overSASL, "sasl.mechanism"},
		{overSASL + "sasl.mechanism=GSSAPI", "sasl.mechanism"},
		{overSASL + "sasl.mechanism=OAUTHBEARER", "sasl.mechanism"},
		{overSASL + "sasl.mechanism=PLAIN", "sasl.jaas.config"},
		{overSASL + "sasl.mechanism=PLAIN\n" + jaas(scramModule, ""), "sasl.jaas.config: the login module is not the one of PLAIN"},
		{overSASL + "sasl.mechanism=SCRAM-SHA-256\n" + jaas(plainModule, ""), "sasl.jaas.config: the login module is not the one of SCRAM-SHA-256"},
		{overSASL + "sasl.mechanism=PLAIN\n" + jaas("com.sun.security.auth.module.Krb5LoginModule", ""), "sasl.jaas.config: the login module is not supported"},
		{overSASL + "sasl.mechanism=PLAIN\nsasl.jaas.config=" + plainModule + " required password=" + secret + ";", "no username"},
		{overSASL + "sasl.mechanism=PLAIN\nsasl.jaas.config=" + plainModule + " required username=a;", "no password"},
		{overSASL + "sasl.mechanism=PLAIN\nsasl.jaas.config=" + secret, "sasl.jaas.config"},
		{"request.timeout.ms=" + secret, "request.timeout.ms"},
		{"metadata.max.age.ms=0", "metadata.max.age.ms"},
	} {
		err := refused(t, "--bootstrap-server", "localhost:1", "--command-config", file(t, tt.config))
		assert.ErrorContains(t, err, tt.says, tt.config)
		assert.ErrorContains(t, err, "--command-config", tt.config)
	}
}

func TestWhatIsNotAboutConnectingIsIgnored(t *testing.T) {
	config := "bootstrap.servers=localhost:1\nacks=all\nlinger.ms=soon\nssl.protocol=TLSv1.3\nssl.enabled.protocols=TLSv1.3, TLSv1.2\nssl.cipher.suites=\n" +
		"sasl.kerberos.service.name=kafka\nsasl.login.refresh.window.factor=0.8\n" + jaas(plainModule, "")
	target, err := flags(t, "--command-config", file(t, config)).Target(nil)
	require.NoError(t, err)
	assert.Empty(t, target.Options, "in plaintext, as Kafka's tools would")
	assert.Len(t, target.Kgo, 1)
}

func TestADelegationTokenSaysThatItIsOne(t *testing.T) {
	for rest, want := range map[string]bool{"": false, " tokenauth=true": true, ` tokenauth="TRUE"`: true, " tokenauth=no": false} {
		config := "bootstrap.servers=localhost:1\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\n" + jaas(scramModule, rest)
		p, err := parseProperties([]byte(config))
		require.NoError(t, err)
		w, err := p.way(false)
		require.NoError(t, err)
		m, err := w.sasl.mechanism()
		require.NoError(t, err)
		_, first, err := m.Authenticate(t.Context(), "")
		require.NoError(t, err)
		assert.Equal(t, want, w.sasl.token, rest)
		if want {
			assert.Contains(t, string(first), "tokenauth=true")
		} else {
			assert.NotContains(t, string(first), "tokenauth")
		}
	}
}

func FuzzNoErrorOfAFileHasItsPassword(f *testing.F) {
	for _, text := range [][2]string{
		{"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config=" + plainModule + " required username=\"a\" password=\"", "\";"},
		{"security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\nsasl.jaas.config=x required password=", ";\n\\uzz"},
		{"security.protocol=SSL\nssl.keystore.type=PEM\nssl.keystore.key=", "\nssl.keystore.certificate.chain=x"},
		{"security.protocol=", ""}, {"request.timeout.ms=", ""}, {"security.protocol=SSL\nssl.protocol=", "\nssl.enabled.protocols=x"},
	} {
		f.Add(text[0], text[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		if strings.Contains(before+after, "location") {
			return // of a file, whose name is no secret
		}
		p, err := parseProperties([]byte(before + secret + after))
		if err == nil {
			_, err = p.way(false)
		}
		// A key is no secret either.
		if err != nil && strings.Contains(err.Error(), secret) && !strings.HasPrefix(err.Error(), "not supported") {
			t.Errorf("the password is in %q", err)
		}
	})
}

func parseProperties(text []byte) (properties, error) {
	read, err := propfile.Parse(text)
	return propertiesOf(read), err
}
