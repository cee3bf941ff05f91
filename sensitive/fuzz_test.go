package sensitive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

var fuzzKeys = []string{
	"", "acks", "session.timeout.ms", "sasl.jaas.config", "a.SSL.b", "x.classes", longS + "ecurity.x", "x." + longS + longS + "l.y", "x.cla" + longS + "s", kelvin + "ey",
	"db.password", "dbPassword", "DBPassword", "accesstoken", "tokenizer.name", "user.info", "dbUser_Info", "userInfo2", "monkey", "api2Key", "x.aUth", "a\x00b", "\xff.class",
	"metadata.recovery.strategy",
}

var fuzzValues = []string{
	"", "all", "svc@example", "http://u:p@h", `{"url":"http://h:80","mail":"a@b"}`, "http://a:b c@d", "http://h:80 c@d", `:\/\/a@b`, "http%3A%2F%2Fu%40h", "%2525252541", "a://b\n@c",
	"-----BEGIN X", "---- \t-begin-", "Bearer x", " 'basic\t(x", "a,\nBASIC\n x", "- basic\n- y", "ba\u017fic x", "Bearer\u200bx", jws, jwe, "a_eyJhbGciOiJk.eyJ..x", "password=x",
	`{"client_secret" : "b"}`, "token:9092,", "token:9a", "jwt://x", `"token":1`, "pwd= ;", "a.b-c_KEY=x;API_1key:y", "\xff", "caf\xe9 password2=\xff",
}

// tooLong is no seed: the fuzzer would only be busy making it shorter.
var tooLong = strings.Repeat("x.", 16384)

func FuzzCheck(f *testing.F) {
	for i, key := range fuzzKeys {
		f.Add(key, int8(1))
		f.Add(key, int8(i%12-2))
		f.Add("x."+key+".y", int8(0))
	}
	f.Fuzz(func(t *testing.T, key string, typ int8) {
		got := sensitive.Check(key, sensitive.Type(typ))
		require.Equal(t, refCheck(key, sensitive.Type(typ)), got, "%q %d", key, typ)

		// No mix of cases changes a name rule, nor does it make a word pass.
		for _, k := range []string{strings.ToUpper(key), strings.ToLower(key)} {
			other := sensitive.Check(k, sensitive.Type(typ))
			if got >= sensitive.ReasonPrefix && got <= sensitive.ReasonSuffix {
				require.Equal(t, got, other, "%q %q", key, k)
			}
		}
		if typ < 0 || typ > 6 {
			require.NotEqual(t, sensitive.NotSensitive, got)
		}
	})
}

func FuzzFilter(f *testing.F) {
	for i, value := range fuzzValues {
		f.Add("my.x", value, int8(1), fuzzKeys[i%len(fuzzKeys)], fuzzValues[len(fuzzValues)-1-i], int8(i%12-2))
	}
	f.Fuzz(func(t *testing.T, key1, value1 string, type1 int8, key2, value2 string, type2 int8) {
		in := []sensitive.Entry{
			{Key: key1, Value: value1, Type: sensitive.Type(type1)},
			{Key: key2, Value: value2, Type: sensitive.Type(type2), IsDefault: true},
			{Key: "acks", Value: value1 + "," + value2, Type: sensitive.String},
		}
		var wantClean []sensitive.Entry
		var wantHeld []sensitive.Held
		for _, e := range in {
			reason := refCheck(e.Key, e.Type)
			if reason == sensitive.NotSensitive {
				reason = refCheckValue(e.Value)
			}
			require.Equal(t, refCheckValue(e.Value), sensitive.CheckValue(e.Value), "%q", e.Value)
			if reason == sensitive.NotSensitive {
				wantClean = append(wantClean, e)
			} else {
				wantHeld = append(wantHeld, sensitive.Held{Key: e.Key, Type: e.Type, Reason: reason, Length: len(e.Value)})
			}
		}
		clean, held := sensitive.Filter(in...)
		require.Equal(t, wantClean, entries(clean))
		require.Equal(t, wantHeld, held)

		for _, h := range held {
			require.Regexp(t, `^[ -~]*$`, h.String())
		}
		for _, c := range clean {
			require.Equal(t, c.String(), fmt.Sprintf("%d", c))
		}
	})
}
