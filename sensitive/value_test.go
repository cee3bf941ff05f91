package sensitive_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

// A signed token's three parts, and an encrypted one's five with an empty key.
const (
	jws = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	jwe = "eyJhbGciOiJkaXIifQ..48V1_ALb6US04U3b.5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4.XFBoMYUZodetZdvTiFvSkQ"
)

func requireValues(t *testing.T, want sensitive.Reason, values ...string) {
	t.Helper()
	for _, v := range values {
		require.Equal(t, want, sensitive.CheckValue(v), "%.200q", v)
	}
}

func TestAURLWithUserinfoIsHeldBack(t *testing.T) {
	requireValues(t, sensitive.ReasonValue,
		"http://user:pass@host", "http://user@host/path", "http://:pass@host", "http://@host", "HTTP://USER:PASS@HOST",
		"https://proxy:8080,http://user:pass@host", "http://a/b?c#d http://user:pass@host", "http://x@y://z",
		"jdbc:postgresql://app:pw@db:5432/orders", "mongodb://u:p,w@h1:27017,h2:27017/x", "amqps://u:p%40w@h", "redis://:pw@h:6379/0",
		"see http://user:pass@host for more", "line one\nhttp://user:pass@host\nline three", "\thttp://u@h", "\u00e9://u@h", "://u@h",
		`{"url":"http://u:p@h"}`, `{"url":"http:\/\/u:p@h"}`, `{"a":"http://h","url":"http://u:p@h"}`, `http://u:p"w@h`,
		"http://app:my secret@db", "http://app:my\tsecret word@db", "http://app:1st secret@db", "http://app:1\u00e9 secret@db", "http://us'er@h", "http://u:p<w>@h",
		"http%3A%2F%2Fuser%3Apass%40host", "http%3a//user:pass%40host", "http%253A%252F%252Fu%253Ap%2540host", "https://login/?next=http%3A%2F%2Fu:p%40h",
		"http://h1,svc@example", "http://[::1]:80@h", "a://b://c@d", "http://svc%40",
	)
}

func TestAnAtSignThatIsNoUserinfoPasses(t *testing.T) {
	requireValues(t, sensitive.NotSensitive,
		"svc@example", "svc@example.org,ops@example.org", "mailto:ops@example.org", "1@controller1:9093,2@controller2:9093",
		"http://host/a@b", "http://host?mail=a@b", "http://host#a@b", "http://host:80/@", "file:///srv/a@b", "http://host/a:b@c",
		"http://host/p?u=http://h2/x@y", "http://host svc@example", "http://host:8081 svc@example", "http://host:8081, svc@example", "http://h1:1,h2:2 svc@e",
		"http://host\nsvc@example", "http://host:abc\rsvc@example", `{"url":"http://host:80","mail":"svc@example"}`,
		`{"url": "http://host", "mail": "svc@example"}`, `["http://host", "svc@example"]`, `"http://host"`, "http:/u@h", "http:u@h", "git@github.com:kcfg-go/kcfg",
		"100% of svc@example", "http://host/a%40b", "%40", "%", "%4", "a%zzb@c", "%7gassword=x", "http://host\tsvc@example", "http://host: svc@example",
	)
}

func TestAPEMHeaderIsHeldBack(t *testing.T) {
	requireValues(t, sensitive.ReasonValue,
		"-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----", "-----begin rsa private key-----",
		"cert: -----BEGIN CERTIFICATE-----", "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----", "-----BEGIN%20PRIVATE%20KEY-----", "-----BEGIN+RSA",
		"---------- -----BEGIN PGP PRIVATE KEY BLOCK-----", "-----  BEGIN\tX", "-------- x -----BEGIN X",
		base64.StdEncoding.EncodeToString([]byte("-----BEGIN PRIVATE KEY-----\n")),
	)
	requireValues(t, sensitive.NotSensitive, "-----END", "-----BEGINNING-----", "---BEGIN X", "-----BEGIN", "----", "BEGIN TRANSACTION", "-- BEGIN --")
}

func TestABearerOrBasicCredentialIsHeldBack(t *testing.T) {
	requireValues(t, sensitive.ReasonValue,
		"Bearer abc", "bearer abc", "BEARER abc", "Basic dXNlcjpwYXNz", "basic\tdXNlcg", "Basic   x", "Bearer \t x", "Bearer\u00a0abc", "Bearer\u2003abc",
		"Bearer\x00abc", "Bearer\u200babc", " Bearer abc", "\t\nBearer abc", "\ufeffBearer abc", "\u200bBearer abc", `"Bearer abc"`, `' Bearer abc`, `["x","Bearer abc"]`,
		`Bearer "abc"`, "a,Bearer abc", "a, b ,  basic abc", "a;Bearer abc", "line\nBearer abc", "line\r\n  Bearer abc", "Bearer\nabc", "Bearer\r\n abc",
		"Bearer%20abc", "%42earer abc", "Bearer%09abc", "Ba\u017fic abc", ",,,Basic abc", "Bearer +/abc", "Basic plan", "Basic 123", "line\rBearer abc", "\u0663Basic x",
	)
	requireValues(t, sensitive.NotSensitive,
		"basic", "Bearer", "basic ", " Basic\t", `"basic"`, "basic,bearer", "basic, bearer", "a,basic", "basic;x", "Bearer: abc", "basic=x", "Basically fine", "basic-auth x",
		"Basic_x y", "Basic1 y", "bearers abc", "use basic settings", "a bearer of news", "- basic\n- full", "basic\n- full", "mode basic", `{"mode":"basic plan"}`, "basic ,x", "basic / , x",
		"x Bearer", "\u00e9basic x", "basic ;x", "basic -\nx", "basic -\rx",
	)
}

func TestAJSONWebTokenIsHeldBack(t *testing.T) {
	requireValues(t, sensitive.ReasonValue, jws, jwe, "x "+jws+" y", "a_"+jws, strings.TrimRight(jws, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"),
		url.QueryEscape(strings.ReplaceAll(jws, ".", "%2E")), "eyJhbGciOiJIUzI1NiJ9 "+jwe, "eyJhbGciOiJ.x.y", "eyJhbGciOi-_IUz.a-_b.c")
	requireValues(t, sensitive.NotSensitive, "eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJIUzI1NiJ9.", "eyJhbGciOiJIUzI1NiJ9.eyJ", "eyJhbGciOi.x.y", "eyjhbGciOiJIUzI1NiJ9.x.y", "host.eyJ.svc.local", "eyJhbGciOiJIUzI1NiJ9.a b.c")
}

func TestASecretAssignedInsideAValueIsHeldBack(t *testing.T) {
	requireValues(t, sensitive.ReasonValue,
		`org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="b";`,
		"Endpoint=sb://x.example/;SharedAccessKeyName=root;SharedAccessKey=abc=", "AccountKey=x", "user=a password=b", "PASSWORD = b", "db.password: b", "password:b",
		`{"password":"b"}`, `{"user":"a","client_secret" : "b"}`, `{\"token\":\"b\"}`, "{'pwd':'b'}", "https://h/?access_token=b", "X-Api-Key: b", "Authorization: Negotiate b",
		"Proxy-Authorization: x", "password2=b", "a=b;passwd=c", "apikey=1234", "token=9092", `"token":9092`, "token:9092x", "jwt=x", "credentials=x", "credential=x", "secretKey=x", "password%3Db", "private.key=x",
		"aws_secret_access_key = x", "password=\u00e9", "x=password=y", "token:9092\u00e9", "password==x",
	)
	requireValues(t, sensitive.NotSensitive,
		"password", "password=", "password= ", "password:", `{"password":""}`, "password=,a=b", "password=;a=b", "password=&a=b", "password: }", "key=value", `{"key":"value"}`, "auth: none",
		"token:9092", "token-service.prod:9092,jwt:8080", "token:9092/x", "token2:9092", "secret://vault/x", "SharedAccessKeyName=root", "tokens=3", "passwordless: true", "token bucket = x",
		"password is = x", "partition.key=id", "=x", ":", "a=b=c",
	)
}

func TestOrdinaryValuesPass(t *testing.T) {
	requireValues(t, sensitive.NotSensitive,
		"", " ", "a,b,c", "all", "-1", "30000", "true", "0.5", "host:9092", "h1:9092,h2:9092,[::1]:9092", "svc@example", "orders-service", "PLAINTEXT://h1:9092,SSL://h2:9093",
		"http://schema-registry:8081", `{"a":1,"b":["x","y"],"c":{"d":null}}`, "line one\nline two\r\n\tline three", "\u4f60\u597d, \u043c\u0438\u0440 \U0001f600", "C:\\data\\x", "/var/lib/x",
		"org.apache.kafka.clients.consumer.CooperativeStickyAssignor", "12:30", "a=b", "50%", "100%25", "a%20b%2Cc", "\x00", "<a href='x'>", strings.Repeat("x", 32767),
	)
}

func TestAValueMayHaveAsManyBytesAsKafkaCanWrite(t *testing.T) {
	requireValues(t, sensitive.NotSensitive, strings.Repeat("x", 32767), strings.Repeat("\u00e9", 16383))
	requireValues(t, sensitive.ReasonTooLong, strings.Repeat("x", 32768), strings.Repeat("\u00e9", 16384), strings.Repeat("\xff", 32768))
	requireValues(t, sensitive.ReasonValue, "http://u@h/"+strings.Repeat("\xff", 32768))
}

func TestAValueThatIsNotUTF8IsHeldBack(t *testing.T) {
	requireValues(t, sensitive.ReasonEncoding, "\xff", "a\xc3", "\xed\xa0\x80", "caf\xe9", "\xc0\x80")
	requireValues(t, sensitive.ReasonValue, "\xffhttp://u@h", "\xff,Bearer x")
	requireValues(t, sensitive.NotSensitive, "%ff") // what it decodes to is not what is sent
}

func TestAValueThatIsEncodedAgainAndAgainIsHeldBack(t *testing.T) {
	v := "a b"
	for range 3 {
		v = url.PathEscape(v)
		requireValues(t, sensitive.NotSensitive, v)
	}
	for range 3 {
		v = url.PathEscape(v)
		requireValues(t, sensitive.ReasonValue, v)
	}
}

// A value comes from the application, but perhaps from its own users. What
// takes the square of the length is seconds over the limit here.
func TestNoValueTakesLongToCheck(t *testing.T) {
	for _, unit := range []string{
		":", "://", "http://a:b ", "://a:b ", `://"`, "-", "----", "---- ", "----begi", ",", "basic ", "basic\n", "basic\u00a0", "basic,", "eyJ", "eyJaaaaaaaaaaaa.", "%", "%25",
		"=", " =", "password", "password=", "password =", "token:1", "password:1", "\xff", "\u00e9", "a", " ", "\t\n", `\/`, `:\/`, "1",
	} {
		for _, v := range []string{strings.Repeat(unit, 1<<18/len(unit)), "://a:b" + strings.Repeat(unit, 1<<18/len(unit)), "basic" + strings.Repeat(unit, 1<<18/len(unit))} {
			start := time.Now()
			require.NotEqual(t, sensitive.NotSensitive, sensitive.CheckValue(v))
			require.Less(t, time.Since(start), 2*time.Second, "%q", unit)
		}
	}
}
