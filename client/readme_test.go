package client_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/pushconfig"
	"github.com/kcfg-go/kcfg/sensitive"
)

// readme returns the README.
func readme(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "README.md"))
	require.NoError(t, err)
	return string(b)
}

// readmePart returns what is between <!-- name --> and <!-- /name -->.
func readmePart(t *testing.T, name string) string {
	t.Helper()
	_, rest, ok := strings.Cut(readme(t), "<!-- "+name+" -->\n")
	require.True(t, ok, "the README has no marker %s", name)
	text, _, ok := strings.Cut(rest, "<!-- /"+name+" -->")
	require.True(t, ok, "the README does not end the marker %s", name)
	return text
}

// readmeBlocks returns the README's fenced blocks of a language.
func readmeBlocks(t *testing.T, language string) []string {
	t.Helper()
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(readme(t), -1) {
		out = append(out, m[1])
	}
	require.NotEmpty(t, out, "blocks of %s", language)
	return out
}

// readmeCells returns the first cell of every row of the tables in a text, without the
// header rows.
func readmeCells(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " |")
		if ok && strings.HasPrefix(line, "| `") {
			out = append(out, strings.Trim(cell, "`"))
		}
	}
	return out
}

// readmeColumn is a kind of client as a bare one, and as one with all that adds a key.
type readmeColumn struct {
	kind      kcfg.Kind
	bare, all []kgo.Opt
}

func readmeColumns() []readmeColumn {
	group, share := kgo.ConsumerGroup("orders"), kgo.ShareGroup("orders")
	return []readmeColumn{
		{kcfg.KindProducer, nil, []kgo.Opt{
			kgo.TransactionalID("t"), kgo.Rack("r"), kgo.ProducerBatchCompression(kgo.GzipCompression().WithLevel(9)),
		}},
		{kcfg.KindConsumer, []kgo.Opt{group}, []kgo.Opt{
			group, kgo.InstanceID("i"), kgo.Rack("r"), kgo.Balancers(kgo.RangeBalancer()), kgo.ServerSideBalancer(),
		}},
		{kcfg.KindShare, []kgo.Opt{share}, []kgo.Opt{share, kgo.Rack("r")}},
		{kcfg.KindAdmin, nil, []kgo.Opt{kgo.Rack("r")}},
	}
}

// collected returns the entries by key.
func collected(t *testing.T, kind kcfg.Kind, opts []kgo.Opt) map[string]sensitive.Entry {
	t.Helper()
	cl, err := kgo.NewClient(opts...)
	require.NoError(t, err)
	defer cl.Close()
	out := make(map[string]sensitive.Entry)
	for _, e := range pushconfig.Collect(cl, kind) {
		out[e.Key] = e
	}
	return out
}

// readmeKeyTable is the README's table of default keys, as it should be.
func readmeKeyTable(t *testing.T) string {
	t.Helper()
	rows := make(map[string][]string)
	for i, c := range readmeColumns() {
		bare, all := collected(t, c.kind, c.bare), collected(t, c.kind, c.all)
		for _, entries := range []map[string]sensitive.Entry{bare, all} {
			for key := range entries {
				if rows[key] == nil {
					rows[key] = make([]string, len(readmeColumns()))
				}
				rows[key][i] = "if set"
				if e, ok := bare[key]; ok && e.IsDefault {
					rows[key][i] = "`" + e.Value + "`"
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString("| key | producer | consumer | share consumer | admin |\n| --- | --- | --- | --- | --- |\n")
	keys := make([]string, 0, len(rows))
	for key := range rows {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		fmt.Fprintf(&b, "| `%s` | %s |\n", key, strings.Join(rows[key], " | "))
	}
	return b.String()
}

func TestReadmeKeyTableIsWhatCollectSays(t *testing.T) {
	want := readmeKeyTable(t)
	assert.Equal(t, want, readmePart(t, "keys"), "the table should be:\n%s", want)
}

func TestReadmeReasonsAreThoseOfPackageSensitive(t *testing.T) {
	var want []string
	for r := sensitive.ReasonPrefix; !strings.HasPrefix(r.String(), "reason "); r++ {
		want = append(want, r.String())
	}
	assert.Equal(t, want, readmeCells(readmePart(t, "reasons")))
}

// functionsReturning returns the exported functions of a package directory that return
// one value of a type.
func functionsReturning(t *testing.T, dir, typ string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var out []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
				continue
			}
			if id, ok := fn.Type.Results.List[0].Type.(*ast.Ident); ok && id.Name == typ {
				out = append(out, fn.Name.Name)
			}
		}
	}
	slices.Sort(out)
	return out
}

func TestReadmeListsEveryOption(t *testing.T) {
	listed := readmeCells(readmePart(t, "options"))
	for i, cell := range listed {
		listed[i], _, _ = strings.Cut(cell, "(")
	}
	slices.Sort(listed)
	want := append(functionsReturning(t, ".", "Option"), functionsReturning(t, ".", "AnyOption")...)
	slices.Sort(want)
	assert.Equal(t, want, listed)
}

// The first block is a program, the others are parts of the examples here.
func TestReadmeCodeCompiles(t *testing.T) {
	all := readmeBlocks(t, "go")
	dir := t.TempDir()
	path := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(path, []byte(all[0]), 0o600))
	out, err := exec.CommandContext(t.Context(), "go", "vet", path).CombinedOutput()
	require.NoError(t, err, "%s", out)

	examples, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	for _, block := range all[1:] {
		assert.Contains(t, unindented(string(examples)), unindented(block))
	}
}

// unindented is the text without what its lines begin with.
func unindented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t "))
	}
	return b.String()
}

// testNames returns the names of all tests of the module.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	out := make(map[string]bool)
	name := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range name.FindAllSubmatch(b, -1) {
			out[string(m[1])] = true
		}
		return err
	}))
	return out
}

func TestReadmeNamesTestsAndFilesThatExist(t *testing.T) {
	have := testNames(t)
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(readme(t), -1)
	require.NotEmpty(t, named)
	for _, m := range named {
		assert.True(t, have[m[1]], "there is no test %s", m[1])
	}
	prose := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(readme(t), "")
	links := regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(prose, -1)
	require.NotEmpty(t, links)
	for _, m := range links {
		_, err := os.Stat(filepath.Join("..", m[1]))
		require.NoError(t, err)
	}
}

// shape is a decoded JSON text with every value replaced by its type.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any)
		for key, value := range v {
			out[key] = shape(value)
		}
		return out
	case []any:
		return "list"
	}
	return fmt.Sprintf("%T", v)
}

func TestReadmeStatusHasTheFieldsOfAStatus(t *testing.T) {
	c := cluster(t, fakebroker.Brokers(3))
	cl := newClient(t, seeds(c), client.ExtraConfig("db.password", "wonder", sensitive.Password))
	require.NoError(t, cl.PushConfig(withTimeout(t)))
	own, err := json.Marshal(cl.Status())
	require.NoError(t, err)

	var shown, want any
	require.NoError(t, json.Unmarshal([]byte(readmeBlocks(t, "json")[0]), &shown))
	require.NoError(t, json.Unmarshal(own, &want))
	assert.Equal(t, shape(want), shape(shown))
}

// On a cluster without support the library makes no connection and no goroutine
// of its own.
func TestWithoutSupportThereIsNothingMoreThanBare(t *testing.T) {
	c := cluster(t, fakebroker.Policy(nil), fakebroker.Brokers(3))
	connections := func(cl *kgo.Client) int {
		before := c.Connections(fakebroker.AnyNode)
		require.NoError(t, cl.Ping(withTimeout(t)))
		return c.Connections(fakebroker.AnyNode) - before
	}
	bare, err := kgo.NewClient(seeds(c)...)
	require.NoError(t, err)
	defer bare.Close()
	want := connections(bare)
	cl := newClient(t, seeds(c))
	assert.Equal(t, want, connections(cl.Client))
	assert.Equal(t, kcfg.PushUnsupported, cl.Status().Push.State)

	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	assert.Contains(t, string(stacks), "kgo.(*Client)", "the dump works")
	assert.NotContains(t, string(stacks), "pushconfig.(*Pusher)", "nor is there a goroutine")
}
