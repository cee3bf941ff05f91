package sensitive_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

// secretWords are those of the decision record.
var secretWords = []string{
	"password", "passwd", "pwd", "secret", "token", "key", "apikey", "credential", "credentials",
	"jwt", "auth", "userinfo",
}

func TestEveryWordIsFoundAsASegmentOfItsOwn(t *testing.T) {
	for _, word := range append(secretWords, "user.info", "user-info", "user_info") {
		title := strings.ToUpper(word[:1]) + word[1:]
		for _, w := range []string{word, strings.ToUpper(word), title} {
			for _, sep := range []string{".", "_", "-", "/", ":", "+", "[", "~", "9"} {
				for _, key := range []string{w, "db" + sep + w, w + sep + "id", "db" + sep + w + sep + "id", w + "2", w + "42" + sep + "x"} {
					require.Equal(t, sensitive.ReasonWord, sensitive.Check(key, sensitive.String), "%q", key)
				}
			}
		}
	}
}

func TestEveryWordIsFoundInCamelCase(t *testing.T) {
	for _, word := range secretWords {
		title := strings.ToUpper(word[:1]) + word[1:]
		for _, key := range []string{"db" + title, "DB" + title, "Db" + title, "my.db" + title + "Hash", word + "Name", title + "ID", "db" + title + "2.x"} {
			require.Equal(t, sensitive.ReasonWord, sensitive.Check(key, sensitive.String), "%q", key)
		}
	}
}

func TestKeysThatNameASecretAreHeldBack(t *testing.T) {
	for _, key := range []string{
		"dbPassword", "accessToken", "apiKey", "APIKEY", "ApiKey", "aPiKeY", "api.key", "x-api-key", "userInfo", "UserInfo", "USERINFO",
		"DBPassword", "DBPASSWORD", "dbpassword", "MYSQL_PWD", "password2", "Password1.old", "clientsecret", "accesstoken", "ACCESSTOKEN",
		"passWord", "pAsSwOrD", "awsSecretAccessKey", "aws_secret_access_key", "basic.auth.user.info", "basic.auth", "dbUser_info", "user1.info2",
		"user..info", "dbuser.infostore", "passphrase", "sslPassPhrase", "privatekey", "db.accesskey", "my.encryptionkey", "basicauth", "github-token", "JWTIssuer", "key", "key.pem", "my.kEy", "private/key", "s3key", "s3Key", "credentialsFile", "x.aUth",
	} {
		require.Equal(t, sensitive.ReasonWord, sensitive.Check(key, sensitive.String), "%q", key)
	}
}

func TestKeysThatOnlyResembleAWordPass(t *testing.T) {
	for _, key := range []string{
		"monkey", "keyboard.layout", "tokenizer.name", "authors", "max.poll.records", "turkey.count", "keys", "monkeys.max", "oauthbearer",
		"author.id", "authority", "Authors", "TOKENIZER", "pass.word", "pass", "word", "user", "info", "info.user", "user.id.info", "userin.fo",
		"compass.wordlist", "sec.ret", "to.ken", "a.u.t.h", "metadata.recovery.strategy", "tokens.per.second", "UserId", "DBUser", "hashPass",
		"max.in.flight.requests.per.connection", "my-feature_flag/1", "user.xinfo",
	} {
		require.Equal(t, sensitive.NotSensitive, sensitive.Check(key, sensitive.String), "%q", key)
	}
}
