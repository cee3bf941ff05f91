package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEveryVerbHasAGroupAndHelp(t *testing.T) {
	root := new(app).root()
	for _, cmd := range root.Commands() {
		assert.NotEmpty(t, cmd.GroupID, "%s is in none of groups", cmd.Name())
		assert.NotEmpty(t, cmd.Short, cmd.Name())
		assert.False(t, strings.HasSuffix(cmd.Short, "."), cmd.Name())
		help := ok(t, cmd.Name(), "--help")
		assert.Contains(t, help, "Usage:")
	}
	help := ok(t, "--help")
	assert.Contains(t, help, "Exit codes:")
	assert.Equal(t, help, ok(t), "without a verb")
	assert.Equal(t, ok(t, "setup", "--help"), ok(t, "help", "setup"))
}

func TestShellsGetTheirCompletionWithoutACluster(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		assert.Contains(t, ok(t, "completion", shell), "kcfg", shell)
	}
}

// completed is what a shell is offered behind the arguments.
func completed(t *testing.T, args ...string) []string {
	t.Helper()
	r := run(t, append([]string{"__complete"}, args...)...)
	require.Equal(t, codeOK, r.code, r.err)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	require.Regexp(t, `^:[0-9]+$`, lines[len(lines)-1])
	var out []string
	for _, line := range lines[:len(lines)-1] {
		word, _, _ := strings.Cut(line, "\t")
		out = append(out, word)
	}
	return append(out, lines[len(lines)-1])
}

func TestFixedValuesOfFlagsAreCompleted(t *testing.T) {
	const noFiles = ":4"
	for _, tt := range []struct{ args, want []string }{
		{[]string{"version", "--output", ""}, []string{"table", "json", "yaml", noFiles}},
		{[]string{"setup", "--transport", ""}, []string{"auto", "rpc", "topics", noFiles}},
		{[]string{"setup", "--color", ""}, []string{"auto", "always", "never", noFiles}},
		{[]string{"setup", "--sasl-mechanism", ""}, []string{"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", noFiles}},
		{[]string{"broker", "--policy", ""}, []string{"log", "none", noFiles}},
		{[]string{"setup", ""}, []string{noFiles}},
		{[]string{"acls", ""}, []string{noFiles}},
		{[]string{"ver"}, []string{"version", noFiles}},
	} {
		assert.Equal(t, tt.want, completed(t, tt.args...), "%q", tt.args)
	}
	assert.Equal(t, []string{":0"}, completed(t, "setup", "--tls-ca", ""), "the shell knows files")
}

func TestVersionHasEveryForm(t *testing.T) {
	varies := strings.NewReplacer(buildVersion().Version, "VERSION", buildVersion().Go, "GO")
	fixed := func(s string) string {
		s = regexp.MustCompile(`(?m)(commit|franz-go|"commit":|"franzGo":|franzGo:)( "?)[^"\n]*`).ReplaceAllString(s, "${1}${2}X")
		return varies.Replace(s)
	}
	golden(t, "version", fixed(ok(t, "version")))
	golden(t, "version_json", fixed(ok(t, "version", "--output", "json")))
	golden(t, "version_yaml", fixed(ok(t, "version", "--output", "yaml")))
}
