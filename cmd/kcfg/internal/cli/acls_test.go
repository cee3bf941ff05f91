package cli

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func TestACLsAreToldInEveryForm(t *testing.T) {
	plan := []string{"acls", "--application", "User:orders", "--operator", "User:ops", "--installer", "User:admin", "--topic", "orders", "--group", "my group", "--cluster"}
	golden(t, "acls", ok(t, plan...))
	golden(t, "acls_json", ok(t, append(plan, "-o", "json", "--transport", "rpc", "--authorize-self")...))
	golden(t, "acls_yaml", ok(t, append(plan, "-o", "yaml", "--transport", "topics", "--dynamic-topic", "d")...))
	assert.Equal(t, "No right is needed.\n", ok(t, "acls", "--application", "User:orders", "--transport", "rpc"))
	assert.JSONEq(t, "[]", ok(t, "acls", "--application", "User:orders", "--transport", "rpc", "-o", "json"))
}

func TestACLsAreCreatedAndToldOneByOne(t *testing.T) {
	c, at := broker(t)
	plan := append([]string{"acls", "--apply", "--application", "User:o r$ders", "--operator", "User:ops", "--topic", "orders"}, at...)
	golden(t, "acls_applied", ok(t, plan...))
	assert.Len(t, allACLs(t, c), 9)
	ok(t, plan...) // again
	assert.Len(t, allACLs(t, c), 9)

	var made []aclMade
	require.NoError(t, json.Unmarshal([]byte(ok(t, append(plan, "-o", "json")...)), &made))
	require.Len(t, made, 9)
	assert.True(t, *made[0].Created)
}

func TestACLsThatAreRefusedHaveTheirOwnOutcome(t *testing.T) {
	c, at := broker(t, fakebroker.Brokers(1))
	c.Script(fakebroker.Fault{Keys: []int16{30}, Never: true, Count: -1, Nth: 2})
	r := run(t, append([]string{"acls", "--apply", "--application", "User:orders", "--transport", "topics", "--timeout", "2s"}, at...)...)
	assert.Equal(t, codeFailed, r.code, "a part of it is done")
	assert.Contains(t, r.out, "created")
	assert.Contains(t, r.out, "failed")
	assert.Contains(t, r.err, "_kcfg_dynamic_configs")
}

// What is printed is one word for a shell, whatever stands in it.
func TestCommandsMeanTheSameToAShell(t *testing.T) {
	for _, who := range []string{"it's", `"quoted"`, "$HOME", "a  b", "`id`", "a;b|c&d", `back\slash`, "*", "~", "#x", "!x", "CN=ops,O=Example", "zo\u00eb", "\u6f22"} {
		out := ok(t, "acls", "--transport", "rpc", "--operator", "User:"+who, "--group", who)
		for line := range strings.Lines(out) {
			if !strings.Contains(line, "--group") {
				continue
			}
			line = strings.Replace(line, "kafka-acls.sh", `printf '%s\n'`, 1)
			got, err := exec.CommandContext(t.Context(), "sh", "-c", line).Output()
			require.NoError(t, err)
			args := strings.Split(strings.TrimSuffix(string(got), "\n"), "\n")
			require.Len(t, args, 9, "%q", args)
			assert.Equal(t, "User:"+who, args[4])
			assert.Equal(t, who, args[8])
		}
	}
}

func TestNoCommandHasWhatATerminalObeys(t *testing.T) {
	assert.NotContains(t, ok(t, "acls", "--operator", "User:a\x1b[31m\u202eb"), "\x1b")
	assert.Equal(t, 5, strings.Count(ok(t, "acls", "--operator", "User:a\nb", "--transport", "auto"), "\n"))
}

func TestAPlanForNobodyIsAMistake(t *testing.T) {
	for _, args := range [][]string{
		{}, {"--application", "orders"}, {"--installer", "User:"}, {"--application", "User:a", "--topic", "orders"}, {"--operator", "User:a", "--apply"},
		{"--operator", "User:a", "--topic", ""}, {"--operator", "User:a", "--group", "a", "--group", ""},
	} {
		assert.Equal(t, codeUsage, run(t, append([]string{"acls"}, args...)...).code, "%q", args)
	}
}
