package entityargs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/propfile"
)

func ops(t require.TestingT, stdin string, args ...string) ([]kcfg.ConfigOp, error) {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	c := AddChangeFlags(fs)
	require.NoError(t, fs.Parse(args))
	return c.Ops(strings.NewReader(stdin), fs.Args())
}

func set(key, value string) kcfg.ConfigOp { return kcfg.SetConfig(key, value) }

func del(key string) kcfg.ConfigOp { return kcfg.DeleteConfig(key) }

func TestChangesAreUnderstoodAsKafkasToolUnderstandsThem(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want []kcfg.ConfigOp
	}{
		{[]string{"--add-config", "a=b,c=d"}, []kcfg.ConfigOp{set("a", "b"), set("c", "d")}},
		{[]string{"--add-config", "a = b , c= d"}, []kcfg.ConfigOp{set("a", "b"), set("c", "d")}},
		{[]string{"--add-config", "k1=v1,k2=[v1,v2,v2],k3=v3"}, []kcfg.ConfigOp{set("k1", "v1"), set("k2", "v1,v2,v2"), set("k3", "v3")}},
		{[]string{"--add-config", "a=b,c=[d,e ,f],g=[h,i]"}, []kcfg.ConfigOp{set("a", "b"), set("c", "d,e ,f"), set("g", "h,i")}},
		{[]string{"--add-config", "leader.replication.throttled.replicas=[1:3,2:4]"}, []kcfg.ConfigOp{set("leader.replication.throttled.replicas", "1:3,2:4")}},
		{[]string{"--add-config", "ssl.endpoint.identification.algorithm=,a=b"}, []kcfg.ConfigOp{set("a", "b"), set("ssl.endpoint.identification.algorithm", "")}},
		{[]string{"--add-config", "k=[]"}, []kcfg.ConfigOp{set("k", "")}},
		{[]string{"--add-config", "k=[[a,b]]"}, []kcfg.ConfigOp{set("k", "[a,b]")}},
		{[]string{"--add-config", "k=a[0-9]+"}, []kcfg.ConfigOp{set("k", "a[0-9]+")}},
		{[]string{"--add-config", "k=[a=b,c=d]"}, []kcfg.ConfigOp{set("k", "a=b,c=d")}},
		{[]string{"--add-config", "k=a=b"}, []kcfg.ConfigOp{set("k", "a=b")}},
		{[]string{"--add-config", "a=b,"}, []kcfg.ConfigOp{set("a", "b")}},
		{[]string{"--delete-config", "a,b"}, []kcfg.ConfigOp{del("a"), del("b")}},
		{[]string{"--delete-config", ",a,,b,"}, []kcfg.ConfigOp{del("a"), del("b")}},
		{[]string{"--delete-config", "a , b", "--add-config", "c=d"}, []kcfg.ConfigOp{del("a"), del("b"), set("c", "d")}},
		{[]string{"--add-config", "a=b", "--add-config", "c=d"}, []kcfg.ConfigOp{set("a", "b"), set("c", "d")}},
		{[]string{"--add-config", "kafka.server.ClientQuotaManager$ThrottledChannelReaper=DEBUG"}, []kcfg.ConfigOp{set("kafka.server.ClientQuotaManager$ThrottledChannelReaper", "DEBUG")}},

		{[]string{"set", "acks=1", "linger.ms=2", "delete", "session.timeout.ms"}, []kcfg.ConfigOp{set("acks", "1"), set("linger.ms", "2"), del("session.timeout.ms")}},
		{[]string{"set", "cleanup.policy=compact,delete"}, []kcfg.ConfigOp{set("cleanup.policy", "compact,delete")}},
		{[]string{"set", "k=[a,b]"}, []kcfg.ConfigOp{set("k", "[a,b]")}},
		{[]string{"set", "k= v "}, []kcfg.ConfigOp{set("k", " v ")}},
		{[]string{"set", "k="}, []kcfg.ConfigOp{set("k", "")}},
		{[]string{"append", "cleanup.policy=compact", "subtract", "x=y"}, []kcfg.ConfigOp{kcfg.AppendConfig("cleanup.policy", "compact"), kcfg.SubtractConfig("x", "y")}},
		{[]string{"delete", "set"}, []kcfg.ConfigOp{del("set")}},
		{[]string{"set", "a=b", "--delete-config", "c"}, []kcfg.ConfigOp{set("a", "b"), del("c")}},
	} {
		got, err := ops(t, "", tt.args...)
		require.NoError(t, err, tt.args)
		// An operation prints without its value, so that testify would not show it.
		assert.True(t, slices.Equal(tt.want, got), "%q", tt.args)
	}
}

func TestMistakesInChangesAreFoundAndValuesAreNotRepeated(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "what is to be changed?"},
		{[]string{"--add-config", ""}, "key=value"},
		{[]string{"--add-config", "a"}, "key=value"},
		{[]string{"--add-config", "a=b,hunter2"}, "key=value"},
		{[]string{"--add-config", "a=b,,c=d"}, "key=value"},
		{[]string{"--add-config", "a=[hunter2,b"}, "not closed"},
		{[]string{"--add-config", "a=[hunter2"}, "not closed"},
		{[]string{"--add-config", "=hunter2"}, "a key is empty"},
		{[]string{"--add-config", "a b=hunter2"}, "letters, digits"},
		{[]string{"--add-config", "a=b,a=hunter2"}, `"a" comes twice`},
		{[]string{"--add-config", "a=hunter2", "--delete-config", "a"}, `"a" comes twice`},
		{[]string{"set", "a=hunter2", "delete", "a"}, `"a" comes twice`},
		{[]string{"--delete-config", "a,a"}, `"a" comes twice`},
		{[]string{"--delete-config", "a, ,b"}, "a key is empty"},
		{[]string{"--delete-config", ""}, "a key is empty"},
		{[]string{"--delete-config", ","}, "a key is empty"},
		{[]string{"--delete-config", "a=hunter2"}, "without values"},
		{[]string{"acks=hunter2"}, "begins with one of set"},
		{[]string{"set"}, "nothing behind set"},
		{[]string{"set", "a=b", "delete"}, "nothing behind delete"},
		{[]string{"set", "a"}, "key=value"},
		{[]string{"set", "a=hunter2\xff"}, "a: the value is not UTF-8"},
		{[]string{"--add-config", "a=hunter2\xff"}, "a: the value is not UTF-8"},
		{[]string{"delete", "a=hunter2"}, "without values"},
		{[]string{"--add-config-file", "/nosuchfile"}, "no such file"},
		{[]string{"--add-config-file", "", "set", "a=b"}, "--add-config-file is empty"},
	} {
		_, err := ops(t, "", tt.args...)
		require.ErrorContains(t, err, tt.want, "%q", tt.args)
		assert.NotContains(t, err.Error(), "hunter2")
	}
}

func TestPropertiesAreTakenAsTheyAre(t *testing.T) {
	const file = "# a comment\nacks = 1\nbootstrap=${HOME}\nk\\ ey=x\nlist=a,b\nlong=a\\\n  b\nempty=\n"
	name := filepath.Join(t.TempDir(), "x.properties")
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(file, "k\\ ey", "key", 1)), 0o600))
	want := []kcfg.ConfigOp{set("acks", "1"), set("bootstrap", "${HOME}"), set("empty", ""), set("key", "x"), set("list", "a,b"), set("long", "ab")}
	got, err := ops(t, "", "--add-config-file", name)
	require.NoError(t, err)
	assert.True(t, slices.Equal(want, got))
	got, err = ops(t, "acks=1\n", "--add-config-file", "-", "delete", "x")
	require.NoError(t, err)
	assert.True(t, slices.Equal([]kcfg.ConfigOp{set("acks", "1"), del("x")}, got))
	got, err = ops(t, "b=1\n", "--add-config-file", "-", "--add-config-file", name)
	require.NoError(t, err)
	assert.True(t, slices.Equal(slices.Insert(slices.Clone(want), 1, set("b", "1")), got), "no file is left out")
	_, err = ops(t, "a=hunter2\xff", "--add-config-file", "-")
	require.ErrorContains(t, err, "UTF-8")
	_, err = ops(t, file, "--add-config-file", "-")
	require.ErrorContains(t, err, "letters, digits")
	_, err = ops(t, strings.Repeat("#", propfile.MaxBytes+1), "--add-config-file", "-")
	require.ErrorContains(t, err, "more than")
	_, err = ops(t, "a=\\uhunter2", "--add-config-file", "-")
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestValuesInBracketsAndInWordsComeBackWhole(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		value := strings.TrimSpace(rapid.StringOf(rapid.RuneFrom([]rune("ab,= \u00e9"))).Draw(rt, "value"))
		other := rapid.StringMatching(`[a-z]{1,3}`).Draw(rt, "other")
		got, err := ops(rt, "", "--add-config", "k=["+value+"],z="+other)
		require.NoError(rt, err)
		require.True(rt, slices.Equal([]kcfg.ConfigOp{set("k", value), set("z", other)}, got))
		free := rapid.String().Draw(rt, "free")
		got, err = ops(rt, "", "--", "set", "k="+free)
		require.NoError(rt, err)
		require.True(rt, slices.Equal([]kcfg.ConfigOp{set("k", free)}, got))
	})
}

func FuzzAddConfig(f *testing.F) {
	for _, s := range []string{"a=b,c=[d,e]", "[", "]", "a=]", "a=[", "=,=", "a=[b],[c]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseAdd(s)
		if err != nil {
			return
		}
		if len(got) == 0 {
			t.Fatalf("%q is nothing and no mistake", s)
		}
		for _, op := range got {
			if !strings.Contains(s, op.Key) || !strings.Contains(s, op.Value) {
				t.Fatalf("%q became %q, %q", s, op.Key, op.Value)
			}
		}
	})
}
