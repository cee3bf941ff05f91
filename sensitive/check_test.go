package sensitive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

const (
	longS  = "\u017f" // folds to s, two bytes
	kelvin = "\u212a" // folds to k, three bytes
)

func TestANameRuleOfTheProposalHoldsAKeyBack(t *testing.T) {
	for key, want := range map[string]sensitive.Reason{
		"sasl.mechanism":              sensitive.ReasonPrefix,
		"security.protocol":           sensitive.ReasonPrefix,
		"ssl.keystore.location":       sensitive.ReasonPrefix,
		"ssl.":                        sensitive.ReasonPrefix,
		"sasl..":                      sensitive.ReasonPrefix,
		"ssl.ssl.engine.class":        sensitive.ReasonPrefix, // the first of three
		"listener.name.sasl.x":        sensitive.ReasonInfix,
		"my.security.level":           sensitive.ReasonInfix,
		"my.ssl.x":                    sensitive.ReasonInfix,
		".ssl.":                       sensitive.ReasonInfix,
		"a.ssl.b.class":               sensitive.ReasonInfix,
		"producer.override.sasl.":     sensitive.ReasonInfix,
		"partitioner.class":           sensitive.ReasonSuffix,
		"interceptor.classes":         sensitive.ReasonSuffix,
		".class":                      sensitive.ReasonSuffix,
		"my.sasl.b":                   sensitive.ReasonInfix,
		"ssl":                         sensitive.NotSensitive, // none of the three
		"sasl":                        sensitive.NotSensitive,
		"security":                    sensitive.NotSensitive,
		"class":                       sensitive.NotSensitive,
		"classes":                     sensitive.NotSensitive,
		"my.ssl":                      sensitive.NotSensitive,
		"my.class.name":               sensitive.NotSensitive,
		"classes.count":               sensitive.NotSensitive,
		"subclass":                    sensitive.NotSensitive,
		"my.subclasses":               sensitive.NotSensitive,
		"my.class.":                   sensitive.NotSensitive,
		"ssl-enabled":                 sensitive.NotSensitive,
		"sslx.a":                      sensitive.NotSensitive,
		"xssl.a":                      sensitive.NotSensitive,
		"session.timeout.ms":          sensitive.NotSensitive,
		"share.acknowledgement.mode":  sensitive.NotSensitive,
		"metadata.recovery.strategy":  sensitive.NotSensitive,
		"securities.exchange.sslsasl": sensitive.NotSensitive,
	} {
		require.Equal(t, want, sensitive.Check(key, sensitive.String), "%q", key)
	}
}

func TestClassKeysAreHeldBackWhateverTheirCase(t *testing.T) {
	for _, key := range []string{
		"partitioner.CLASS", "partitioner.Class", "partitioner.claSs", "interceptor.Classes",
		"partitioner.cla" + longS + "s", "partitioner.clas" + longS, "interceptor.cla" + strings.Repeat(longS, 2) + "e" + longS,
	} {
		require.Equal(t, sensitive.ReasonSuffix, sensitive.Check(key, sensitive.String), "%q", key)
	}
}

func TestPrefixesAndInfixesAreFoundWhateverTheirCase(t *testing.T) {
	for _, name := range []string{
		"SASL", "Sasl", "sAsL", "SSL", "sSl", "SECURITY", "Security",
		longS + "asl", "sa" + longS + "l", longS + "a" + longS + "l", "S" + longS + "L", longS + longS + "l", longS + "ecurity",
	} {
		require.Equal(t, sensitive.ReasonPrefix, sensitive.Check(name+".x", sensitive.Int), "%q", name)
		require.Equal(t, sensitive.ReasonInfix, sensitive.Check("x."+name+".x", sensitive.Int), "%q", name)
	}
}

func TestOnlyTypesThatAreOnTheWireLeaveTheProcess(t *testing.T) {
	for i := -128; i <= 127; i++ {
		typ := sensitive.Type(i)
		want := sensitive.ReasonType
		switch {
		case i >= 0 && i <= 6:
			want = sensitive.NotSensitive
		case typ == sensitive.Unknown:
			want = sensitive.ReasonCustom
		}
		require.Equal(t, want, sensitive.Check("client.id", typ), "type %d", i)
	}
}

func TestAKeyOfUnknownTypeNeverPasses(t *testing.T) {
	for key, want := range map[string]sensitive.Reason{
		"my.feature":   sensitive.ReasonCustom,
		"client.id":    sensitive.ReasonCustom,
		"":             sensitive.ReasonCustom,
		"a b":          sensitive.ReasonCustom,
		"db.password":  sensitive.ReasonCustom,
		"sasl.x":       sensitive.ReasonPrefix,
		"x.ssl.x":      sensitive.ReasonInfix,
		"x.class":      sensitive.ReasonSuffix,
		"\u00e9.class": sensitive.ReasonSuffix,
	} {
		require.Equal(t, want, sensitive.Check(key, sensitive.Unknown), "%q", key)
	}
}

func TestTheFirstReasonInOrderIsGiven(t *testing.T) {
	long := strings.Repeat("x", 32768)
	for _, c := range []struct {
		key  string
		typ  sensitive.Type
		want sensitive.Reason
	}{
		{"sasl.ssl.password \x00.class", sensitive.Password, sensitive.ReasonPrefix},
		{"x.ssl.password \x00.class", sensitive.Password, sensitive.ReasonInfix},
		{"x.password \x00.class", sensitive.Password, sensitive.ReasonSuffix},
		{"x.password \x00", sensitive.Password, sensitive.ReasonType},
		{"x.password \x00", sensitive.Unknown, sensitive.ReasonCustom},
		{"x.password \x00", sensitive.String, sensitive.ReasonCharacters},
		{"x.password." + long, sensitive.String, sensitive.ReasonWord},
		{long + " ", sensitive.String, sensitive.ReasonCharacters},
		{long, sensitive.String, sensitive.ReasonTooLong},
		{long, sensitive.Class, sensitive.ReasonType},
		{long, sensitive.Unknown, sensitive.ReasonCustom},
	} {
		require.Equal(t, c.want, sensitive.Check(c.key, c.typ), "%.40q %v", c.key, c.typ)
	}
}

func TestOnlyPrintableASCIIWithoutSpacesPasses(t *testing.T) {
	for c := range 256 {
		want := sensitive.NotSensitive
		if c <= 0x20 || c >= 0x7f {
			want = sensitive.ReasonCharacters
		}
		for _, key := range []string{"a" + string([]byte{byte(c)}), string([]byte{byte(c)}) + "a.b", "a." + string([]byte{byte(c)}) + ".b"} {
			require.Equal(t, want, sensitive.Check(key, sensitive.String), "%q", key)
		}
	}
	for _, key := range []string{"", "fetch" + kelvin, "\u0441lient.id", "\uff53\uff53\uff4c.x", "a\u200b.b", "a\u00a0b", "\ufeffclient.id"} {
		require.Equal(t, sensitive.ReasonCharacters, sensitive.Check(key, sensitive.String), "%q", key)
	}
}

func TestAKeyMayHaveAsManyBytesAsKafkaCanWrite(t *testing.T) {
	require.Equal(t, sensitive.NotSensitive, sensitive.Check(strings.Repeat("x", 32767), sensitive.String))
	require.Equal(t, sensitive.ReasonTooLong, sensitive.Check(strings.Repeat("x", 32768), sensitive.String))
}

// benchmarkedKeys take every way through Check: letters of no word, letters of
// a word that is not there, each rule, and a key that is not ASCII.
var benchmarkedKeys = []string{
	"acks", "session.timeout.ms", "max.poll.records", "metadata.recovery.strategy",
	"max.in.flight.requests.per.connection", "sasl.jaas.config", "listener.name.ssl.keystore",
	"interceptor.classes", "my.dbPassword", "a.user.info", longS + "asl.mechanism",
}

func TestCheckAllocatesNothing(t *testing.T) {
	for _, key := range benchmarkedKeys {
		for _, typ := range []sensitive.Type{sensitive.String, sensitive.Unknown, sensitive.Password} {
			require.Zero(t, testing.AllocsPerRun(100, func() { sensitive.Check(key, typ) }), "%q", key)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, key := range benchmarkedKeys {
		b.Run(key, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sensitive.Check(key, sensitive.String)
			}
		})
	}
}
