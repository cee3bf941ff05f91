package fakebroker

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheUserOfAPlainMessage(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{
		"\x00alice\x00pass":      "alice",
		"alice\x00alice\x00pass": "alice",
		"\x00a,b=c\x00pass":      "a,b=c",
		"\x00alice\x00\x00":      "alice",
		"\x00\x00pass":           "",
		"\x00alice\x00":          "",
		"alice\x00pass":          "",
		"":                       "",
	} {
		got, ok := plainUser([]byte(token))
		require.Equal(t, want != "", ok, "%q", token)
		require.Equal(t, want, got, "%q", token)
	}
}

func TestTheUserOfAScramMessage(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]string{
		"n,,n=alice,r=nonce":                "alice",
		"n,a=alice,n=alice,r=nonce":         "alice",
		"n,,m=ext,n=alice,r=nonce":          "alice",
		"n,,n=a=2Cb=3Dc,r=nonce":            "a,b=c",
		"n,,n==3D2C,r=nonce":                "=2C",
		"n,,n=alice,r=nonce,tokenauth=true": "alice",
		"n,,n=,r=nonce":                     "",
		"n,,r=nonce,n=alice":                "",
		"n,,m=ext,n=alice":                  "alice",
		"n,,m=ext,m=n=alice":                "",
		"n=alice,r=nonce":                   "",
		"":                                  "",
	} {
		got, ok := scramUser([]byte(token))
		require.Equal(t, want != "", ok, "%q", token)
		require.Equal(t, want, got, "%q", token)
	}
}

func TestAuthenticationIsConfirmedByAnswersOnly(t *testing.T) {
	t.Parallel()
	type step func(auth) auth
	shake := func(mechanism string, code int16) step {
		return func(a auth) auth { return a.handshake(mechanism, code) }
	}
	token := func(token string, code int16) step {
		return func(a auth) auth { return a.authenticate([]byte(token), code) }
	}
	plain, first := "\x00alice\x00pass", "n,,n=alice,r=x"
	for _, tt := range []struct {
		name     string
		required bool
		steps    []step
		user     string
		admits   bool
	}{
		{"nothing, not required", false, nil, "", true},
		{"nothing, required", true, nil, "", false},
		{"a handshake alone, not required", false, []step{shake("PLAIN", 0)}, "", false},
		{"a refused handshake, not required", false, []step{shake("GSSAPI", 33)}, "", true},
		{"plain", true, []step{shake("PLAIN", 0), token(plain, 0)}, "alice", true},
		{"plain refused", true, []step{shake("PLAIN", 0), token(plain, 58)}, "", false},
		{"plain behind a refused handshake", true, []step{shake("PLAIN", 33), token(plain, 0)}, "", false},
		{"plain that does not parse", true, []step{shake("PLAIN", 0), token("alice", 0)}, "", false},
		{"half a scram", true, []step{shake("SCRAM-SHA-256", 0), token(first, 0)}, "", false},
		{"scram", true, []step{shake("SCRAM-SHA-256", 0), token(first, 0), token("c=biws", 0)}, "alice", true},
		{"scram 512", true, []step{shake("SCRAM-SHA-512", 0), token(first, 0), token("c=biws", 0)}, "alice", true},
		{"scram with a wrong proof", true, []step{shake("SCRAM-SHA-256", 0), token(first, 0), token("c=biws", 58)}, "", false},
		{"scram that does not parse", true, []step{shake("SCRAM-SHA-256", 0), token("x", 0), token("c=biws", 0)}, "", false},
		{"a mechanism that the tap does not read", true, []step{shake("OAUTHBEARER", 0), token("x", 0)}, "", false},
		{"one that looks like scram", true, []step{shake("OAUTHBEARER", 0), token(first, 0), token("c=biws", 0)}, "", false},
		{"a token without a handshake", true, []step{token(plain, 0)}, "", false},
		{"in the middle of a new authentication", true, []step{shake("PLAIN", 0), token(plain, 0), shake("PLAIN", 0)}, "alice", false},
		{"after a new authentication", true, []step{
			shake("PLAIN", 0), token(plain, 0), shake("SCRAM-SHA-256", 0), token("n,,n=bob,r=x", 0), token("c=biws", 0),
		}, "bob", true},
		{"after a refused new handshake", true, []step{shake("PLAIN", 0), token(plain, 0), shake("PLAIN", 34)}, "alice", true},
		{"after a stray token", true, []step{shake("PLAIN", 0), token(plain, 0), token("x", 34)}, "alice", true},
		{"after a failed new authentication", true, []step{shake("PLAIN", 0), token(plain, 0), shake("PLAIN", 0), token(plain, 58)}, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := auth{required: tt.required}
			for _, s := range tt.steps {
				a = s(a)
			}
			require.Equal(t, tt.user, a.user)
			require.Equal(t, tt.admits, a.admits())
		})
	}
}

func FuzzSASLUser(f *testing.F) {
	f.Add("\x00alice\x00pass")
	f.Add("n,,n=a=2Cb,r=nonce")
	f.Add("n,a=x,m=y,n=x,r=z")
	f.Fuzz(func(t *testing.T, s string) {
		// As a message: no panic, and nothing that is not in it.
		if user, ok := plainUser([]byte(s)); ok {
			require.Contains(t, s, "\x00"+user+"\x00")
		}
		if user, ok := scramUser([]byte(s)); ok {
			require.NotEmpty(t, user)
			require.LessOrEqual(t, len(user), len(s))
		}
		// As a user name: it comes back.
		if s == "" {
			return
		}
		escaped := strings.NewReplacer("=", "=3D", ",", "=2C").Replace(s)
		user, ok := scramUser([]byte("n,a=" + escaped + ",n=" + escaped + ",r=nonce"))
		require.True(t, ok)
		require.Equal(t, s, user)
		if !strings.Contains(s, "\x00") {
			user, ok = plainUser([]byte(s + "\x00" + s + "\x00pass\x00word"))
			require.True(t, ok)
			require.Equal(t, s, user)
		}
	})
}
