package cli

import (
	"cmp"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
)

// The worked example of README.md stands between these two. Run this test with -update
// to have it written anew.
const (
	exampleBegins = "<!-- operator -->\n"
	exampleEnds   = "<!-- /operator -->"
	consoleBegins = "```console\n"
	consoleEnds   = "```\n"
	prompt        = "$ kcfg "
)

// exampleAddr is where the example has its broker.
const exampleAddr = "localhost:9092"

func TestTheExampleOfTheREADMEIsWhatTheCommandPrints(t *testing.T) {
	file := filepath.Join("..", "..", "..", "..", "README.md")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(text), exampleBegins)
	require.True(t, found)
	example, after, found := strings.Cut(rest, exampleEnds)
	require.True(t, found)

	addr, instances := demonstrated(t)
	var ran strings.Builder
	commands := 0
	for {
		prose, rest, found := strings.Cut(example, consoleBegins)
		ran.WriteString(prose)
		if !found {
			break
		}
		block, rest, found := strings.Cut(rest, consoleEnds)
		require.True(t, found)
		example = rest
		ran.WriteString(consoleBegins)
		for i, line := range commandsOf(block) {
			if i > 0 {
				ran.WriteString("\n")
			}
			ran.WriteString(line + "\n" + exampleOutput(t, line, addr, instances))
			commands++
		}
		ran.WriteString(consoleEnds)
	}
	require.GreaterOrEqual(t, commands, 5)
	now := before + exampleBegins + ran.String() + exampleEnds + after
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(now), 0o644))
	}
	assert.Equal(t, now, string(text))
}

// demonstrated runs kcfg broker --demo, and returns its address and the instances of its
// clients by client id. Tables are sorted by instance, which is random: it is begun anew
// until the two of each client id are in the order in which they came.
func demonstrated(t *testing.T) (addr string, instances []string) {
	t.Helper()
	for {
		r, addr := listening(t, "--demo")
		cl, err := kgo.NewClient(kgo.SeedBrokers(addr))
		require.NoError(t, err)
		admin, err := client.NewAdmin(cl, client.Transport(client.TransportTopics))
		require.NoError(t, err)
		told, err := admin.Clients(t.Context())
		cl.Close()
		require.NoError(t, err)
		all := told.Records
		require.Len(t, all, 4)
		slices.SortFunc(all, func(a, b kcfg.ClientRecord) int {
			return cmp.Or(cmp.Compare(a.ClientID, b.ClientID), a.Since.Compare(b.Since))
		})
		instances = nil
		for _, one := range all {
			instances = append(instances, one.Instance)
		}
		if instances[0] < instances[1] && instances[2] < instances[3] {
			return addr, instances
		}
		r.end()
	}
}

// commandsOf are the lines of a block that are typed.
func commandsOf(block string) (out []string) {
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, prompt) {
			out = append(out, strings.TrimSuffix(line, "\n"))
		}
	}
	return out
}

// exampleOutput is what a command prints, with what varies replaced.
func exampleOutput(t *testing.T, line, addr string, instances []string) string {
	t.Helper()
	args, err := words(strings.ReplaceAll(strings.TrimPrefix(line, prompt), exampleAddr, addr))
	require.NoError(t, err, line)
	r := run(t, args...)
	require.NotEqual(t, codeUsage, r.code, "%s\n%s", line, r.err)
	out := r.out + r.err
	for i, instance := range instances {
		out = strings.ReplaceAll(out, instance, exampleInstances[i])
	}
	host, err := os.Hostname()
	require.NoError(t, err)
	out = moments.ReplaceAllString(out, "2026-11-30T09:00:00Z")
	out = strings.ReplaceAll(out, "  "+host+"  ", "  app-1  ")
	out = strings.ReplaceAll(out, "kgo/unknown", "kgo/"+franzGo(t)) // binaries know it, tests do not
	return inOrder(aligned(out))
}

var exampleInstances = []string{
	"1f0a51c2-5e38-4b8e-9d9c-2b1c6f3c7a11", "3b7c0de4-0b8f-4a55-8c52-9a4f1f1de0b2",
	"5d21e7a9-7f41-4c1b-b6a3-0c8e2f6b94d3", "9e64b3f0-2c9d-4f0e-a7d8-6b5d3a1c80e4",
}

var moments = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`)

// inOrder sorts what watching tells of one client after the other.
func inOrder(out string) string {
	lines := strings.SplitAfter(out, "\n")
	isEvent := func(line string) bool { return strings.Contains(line, " (client id ") }
	for i := 0; i < len(lines); i++ {
		end := i
		for end < len(lines) && isEvent(lines[end]) {
			end++
		}
		slices.Sort(lines[i:end])
		i = end
	}
	return strings.Join(lines, "")
}

// franzGo is the version that go.mod asks for.
func franzGo(t *testing.T) string {
	t.Helper()
	mod, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "go.mod"))
	require.NoError(t, err)
	m := regexp.MustCompile(`github\.com/twmb/franz-go (v\S+)`).FindSubmatch(mod)
	require.NotNil(t, m)
	return string(m[1])
}

// aligned aligns the columns of tables whose cells were replaced.
func aligned(out string) string {
	var b strings.Builder
	var rows [][]string
	flush := func() {
		widths := make([]int, 100)
		for _, row := range rows {
			for i, cell := range row {
				widths[i] = max(widths[i], len(cell))
			}
		}
		for _, row := range rows {
			for i, cell := range row {
				if i < len(row)-1 {
					cell += strings.Repeat(" ", widths[i]-len(cell)+2)
				}
				b.WriteString(cell)
			}
			b.WriteString("\n")
		}
		rows = nil
	}
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		cells := columns.Split(line, -1)
		if len(cells) == 1 {
			flush()
			b.WriteString(line + "\n")
			continue
		}
		rows = append(rows, cells)
	}
	flush()
	return b.String()
}

var columns = regexp.MustCompile(` {2,}`)
