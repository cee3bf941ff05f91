package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// exampleFiles are the files that examples read, in the directory where they run.
var exampleFiles = map[string]string{
	"client.properties": "acks=all\nlinger.ms=5\n",
}

// TestExamplesOfHelpRun runs every line that the help of a verb shows, against a
// broker with the topic orders, the topics of kcfg, and a client.
func TestExamplesOfHelpRun(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, content := range exampleFiles {
		require.NoError(t, os.WriteFile(name, []byte(content), 0o600))
	}
	addr := exampleBroker(t)
	ran := 0
	for _, cmd := range verbs(new(app).root()) {
		if cmd.Name() == "help" || cmd.Name() == "completion" || cmd.Parent().Name() == "completion" || cmd.HasSubCommands() {
			continue
		}
		assert.NotEmpty(t, cmd.Example, "%s has an example", cmd.CommandPath())
		for line := range strings.Lines(cmd.Example) {
			line = strings.TrimSuffix(line, "\n")
			assert.Regexp(t, `^  kcfg [^ ]`, line)
			args, err := words(strings.ReplaceAll(line, "localhost:9092", addr))
			require.NoError(t, err, line)
			t.Run(strings.TrimSpace(line), func(t *testing.T) {
				if cmd.Name() == "broker" {
					runBrokerExample(t, args[1:])
					return
				}
				r := run(t, args[1:]...)
				assert.Equal(t, codeOK, r.code, "%s%s", r.out, r.err)
			})
			ran++
		}
	}
	assert.Positive(t, ran)
}

// exampleBroker starts the broker of the examples, and returns its address.
func exampleBroker(t *testing.T) string {
	t.Helper()
	c, at := broker(t, fakebroker.Topics(3, "orders"), fakebroker.DynamicConfigs(), fakebroker.Policy(&fakebroker.RecordPolicy{}))
	ok(t, append([]string{"setup"}, at...)...)
	cl, err := client.New([]kgo.Opt{kgo.SeedBrokers(c.Addrs()...), kgo.ClientID("orders-api")},
		client.Transport(client.TransportTopics), client.PollInterval(time.Second))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	require.NoError(t, cl.PushConfig(t.Context()))
	return c.Addrs()[0]
}

// runBrokerExample runs a broker, on another port than the example's, which may be
// taken, until it says that it listens.
func runBrokerExample(t *testing.T, args []string) {
	t.Helper()
	args = slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "127.0.0.1:") || a == "--listen" })
	r := begin(t, append(args, "--listen", "127.0.0.1:0")...)
	defer r.end()
	r.says(t, "listening on ")
	assert.Equal(t, codeOK, r.end(), r.err.String())
}

// verbs are all commands below root.
func verbs(root *cobra.Command) (out []*cobra.Command) {
	for _, cmd := range root.Commands() {
		out = append(append(out, cmd), verbs(cmd)...)
	}
	return out
}

// words splits a line as a shell does that has words and quotes and nothing else.
func words(line string) (out []string, err error) {
	var word strings.Builder
	begun, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'' || quote == '"' && !strings.ContainsRune("\\$`", r):
			word.WriteRune(r)
		case r == '\'' || r == '"':
			begun, quote = true, r
		case r == ' ':
			if begun {
				out = append(out, word.String())
			}
			word.Reset()
			begun = false
		case strings.ContainsRune("\\$`|&;<>()*?[]#~!{}\t", r):
			return nil, fmt.Errorf("%q is more than words and quotes", r)
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%q does not end", quote)
	}
	if begun {
		out = append(out, word.String())
	}
	return out, nil
}

func TestLinesAreSplitAsAShellSplitsThem(t *testing.T) {
	for line, want := range map[string][]string{
		`  kcfg a  b`: {"kcfg", "a", "b"}, `a "b c" d'e f'`: {"a", "b c", "de f"}, `a "" ''`: {"a", "", ""}, `a "it's"`: {"a", "it's"}, `'a"$'`: {`a"$`},
	} {
		got, err := words(line)
		require.NoError(t, err, line)
		assert.Equal(t, want, got, line)
	}
	for _, line := range []string{"a | b", "a $b", `"$b"`, "a 'b", "a >b", "a*"} {
		_, err := words(line)
		require.Error(t, err, line)
	}
}
