package kcfg_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const modulePath = "github.com/kcfg-go/kcfg"

// A rule says what one package of this module may import besides the standard
// library. Names of own packages are relative to the module, the root is ".".
// A name that ends in /... stands for everything below it.
type rule struct {
	pkg        string
	own        []string
	third      []string
	ownInTests []string // besides own, the package itself, and testBrokers
}

const (
	kerrPath     = "github.com/twmb/franz-go/pkg/kerr"
	kbinPath     = "github.com/twmb/franz-go/pkg/kbin"
	kmsgPath     = "github.com/twmb/franz-go/pkg/kmsg"
	kgoPath      = "github.com/twmb/franz-go/pkg/kgo"
	kversionPath = "github.com/twmb/franz-go/pkg/kversion"
	kadmPath     = "github.com/twmb/franz-go/pkg/kadm"
	kfakePath    = "github.com/twmb/franz-go/pkg/kfake"
	saslPath     = "github.com/twmb/franz-go/pkg/sasl/..."
	backoffPath  = "github.com/cenkalti/backoff/v4"
)

var (
	nouns  = []string{".", "sensitive", "errors"}
	public = join(nouns, "pushconfig", "dynconfig", "client")
	lower  = join(nouns, "internal/wire", "internal/configdef", "internal/connpatch", "internal/transport", "internal/retry", "internal/worker")

	kafka   = []string{kerrPath, kbinPath, kmsgPath, kgoPath, kversionPath}
	retry   = join(kafka, backoffPath)
	program = join(kafka, kadmPath, saslPath)

	// What the operator's command is made with.
	terminal = []string{
		"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term", "github.com/mattn/go-runewidth",
		"go.yaml.in/yaml/v3", "software.sslmate.com/src/go-pkcs12",
	}
)

// rules are the arrows of the layout, bottom up. A package without a rule
// fails: where a new one stands is a decision.
var rules = []rule{
	{pkg: "sensitive"},
	{pkg: "errors", third: []string{kerrPath}},
	{pkg: ".", own: []string{"sensitive", "errors"}, ownInTests: public},

	{pkg: "internal/identifier", own: []string{"errors"}},
	{pkg: "internal/wire", own: nouns, third: []string{kmsgPath, kbinPath}},

	{pkg: "internal/connpatch", own: join(nouns, "internal/wire"), third: kafka},
	// It says which patch an override becomes, and patches are connpatch's.
	{pkg: "internal/configdef", own: join(nouns, "internal/wire", "internal/connpatch"), third: kafka},
	{pkg: "internal/transport", own: join(nouns, "internal/wire"), third: retry},
	{pkg: "internal/retry", third: []string{backoffPath}},
	{pkg: "internal/worker", own: []string{"errors"}},

	{pkg: "internal/topicstore", own: join(nouns, "internal/transport", "internal/retry"), third: join(kafka, kadmPath, saslPath)},
	{pkg: "pushconfig", own: lower, third: retry},
	{pkg: "dynconfig", own: lower, third: retry},

	{pkg: "client", own: join(lower, "pushconfig", "dynconfig", "internal/topicstore", "internal/identifier"), third: join(retry, kadmPath, saslPath)},

	// What a fleet of clients tells of itself, as data. It sends nothing.
	{pkg: "fleet", own: join(nouns, "dynconfig"), ownInTests: public},

	{pkg: "internal/fakebroker", own: join(nouns, "internal/identifier", "internal/wire", "internal/configdef"), third: join(kafka, kfakePath)},
	{pkg: "internal/kafkatest", own: nouns, third: join(kafka, kadmPath)},
	{pkg: "internal/integration", own: join(public, "internal/kafkatest"), third: program},
	{pkg: "internal/benchratio", own: join(public, "internal/fakebroker"), third: program},

	{pkg: "examples/...", own: join(public, "internal/fakebroker", "examples/internal/..."), third: program},
	// kafkatest is for its tests only.
	{pkg: "cmd/...", own: join(public, "fleet", "internal/fakebroker", "cmd/kcfg/internal/..."), third: join(program, terminal...)},
}

// What the tests of every package may import in addition.
var (
	testBrokers = []string{"internal/fakebroker", "internal/kafkatest"}
	testThird   = join(program, kfakePath, "github.com/stretchr/testify/...", "go.uber.org/goleak", "pgregory.net/rapid", "github.com/creack/pty")
)

// tools are the packages whose code never gets into the binary of somebody who
// uses the library. Of all others, what they reach is libraryModules at most:
// no kfake, no testify, no rapid, no goleak.
var (
	tools = []string{"internal/fakebroker", "internal/kafkatest", "internal/benchratio", "examples/...", "cmd/..."}

	libraryModules = []string{
		modulePath,
		"github.com/twmb/franz-go", // kgo, kbin, kerr, kversion, sasl
		"github.com/twmb/franz-go/pkg/kmsg",
		"github.com/twmb/franz-go/pkg/kadm",
		"github.com/cenkalti/backoff/v4",
		"github.com/klauspost/compress", // kgo's
		"github.com/pierrec/lz4/v4",     // kgo's
	}
)

// judge says whether importer, a package of this module, may import imported.
// Both are import paths; isTest is for an import by a _test.go file.
func judge(importer, imported string, isTest bool) error {
	if imported == "unsafe" || imported == "C" {
		return fmt.Errorf("%s imports %s, which nothing here may", importer, imported)
	}
	from, ok := relative(importer)
	if !ok {
		return fmt.Errorf("%s is no package of this module", importer)
	}
	i := slices.IndexFunc(rules, func(r rule) bool { return matches(r.pkg, from) })
	if i < 0 {
		return fmt.Errorf("%s has no rule in layers_test.go", importer)
	}
	r := rules[i]

	if !strings.Contains(strings.Split(imported, "/")[0], ".") {
		return nil // the standard library
	}
	to, isOwn := relative(imported)
	allowed := r.third
	switch {
	case isOwn && isTest:
		allowed = slices.Concat(r.own, r.ownInTests, testBrokers, []string{from})
	case isOwn:
		allowed = r.own
	case isTest:
		allowed = join(r.third, testThird...)
	}
	if !matchesAny(allowed, to) {
		return fmt.Errorf("%s may not import %s (test: %t)", importer, imported, isTest)
	}
	return nil
}

// judgeModule says whether code of the module mod may get into a binary by way
// of importer. A package of the standard library has no module.
func judgeModule(importer, mod string) error {
	from, ok := relative(importer)
	if !ok || mod == "" || matchesAny(tools, from) || slices.Contains(libraryModules, mod) {
		return nil
	}
	return fmt.Errorf("%s brings the module %s into users' binaries", importer, mod)
}

// relative is path without the module, "." for the root; of a path outside the
// module it is the path itself and false.
func relative(path string) (string, bool) {
	if path == modulePath {
		return ".", true
	}
	return strings.CutPrefix(path, modulePath+"/")
}

func matches(pattern, path string) bool {
	if dir, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == dir || strings.HasPrefix(path, dir+"/")
	}
	return path == pattern
}

func matchesAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, path) })
}

func join(a []string, b ...string) []string { return slices.Concat(a, b) }

// pkg is what we read of go list's answer.
type pkg struct {
	Dir, ImportPath, ForTest           string
	Module                             *struct{ Path string }
	Imports, TestImports, XTestImports []string
	Deps                               []string
	IgnoredGoFiles                     []string
	Error                              *struct{ Err string }
}

// list returns the packages of this module and everything they and their tests
// depend on, by import path. The variants that go list adds for tests are left
// out: each package's own entry names its tests' imports too.
func list(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-e", "-deps", "-test", "-json", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	pkgs := make(map[string]pkg)
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return pkgs
		case err != nil:
			t.Fatalf("go list: %v", err)
		case p.ForTest == "" && !strings.HasSuffix(p.ImportPath, ".test"):
			pkgs[p.ImportPath] = p
		}
	}
}

// ignoredImports returns the imports of the files that this machine's system or
// the lack of a build tag leaves out, keyed by whether a test imports them.
func ignoredImports(t *testing.T, p pkg) map[bool][]string {
	t.Helper()
	imports := make(map[bool][]string)
	for _, name := range p.IgnoredGoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Error(err)
			continue
		}
		isTest := strings.HasSuffix(name, "_test.go")
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Error(err)
			}
			imports[isTest] = append(imports[isTest], path)
		}
	}
	return imports
}

// watch reads every directory of the module. go test keeps a result until a
// file changes that the test itself looked at, and it does not see what go list
// looks at: without this, a new import could be answered by an old "ok".
func watch(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist): // gone since we read its directory
			return nil
		case err == nil && d.IsDir() && path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImportsPointDownTheLayers(t *testing.T) {
	watch(t)
	pkgs := list(t)
	if _, ok := pkgs[modulePath]; !ok {
		t.Fatalf("go list does not name %s", modulePath)
	}
	for _, path := range slices.Sorted(maps.Keys(pkgs)) {
		if _, own := relative(path); !own {
			continue
		}
		p := pkgs[path]
		if p.Error != nil {
			t.Errorf("%s: %s", path, p.Error.Err)
		}
		ignored := ignoredImports(t, p)
		for _, imported := range join(p.Imports, ignored[false]...) {
			if err := judge(path, imported, false); err != nil {
				t.Error(err)
			}
		}
		for _, imported := range slices.Concat(p.TestImports, p.XTestImports, ignored[true]) {
			if err := judge(path, imported, true); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestUsersBinariesGetOnlyTheLibrarysModules(t *testing.T) {
	pkgs := list(t)
	for _, path := range slices.Sorted(maps.Keys(pkgs)) {
		if _, own := relative(path); !own {
			continue
		}
		reached := make(map[string]bool)
		for _, dep := range pkgs[path].Deps {
			if mod := pkgs[dep].Module; mod != nil {
				reached[mod.Path] = true
			}
		}
		for _, mod := range slices.Sorted(maps.Keys(reached)) {
			if err := judgeModule(path, mod); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestLayerRulesRefuseWhatTheyShould(t *testing.T) {
	const (
		code = false
		test = true
	)
	own := func(p string) string { return modulePath + "/" + p }
	for _, tt := range []struct {
		importer, imported string
		isTest, ok         bool
	}{
		{modulePath, "net", code, true},
		{modulePath, own("sensitive"), code, true},
		{modulePath, own("errors"), code, true},
		{modulePath, kgoPath, code, false},
		{modulePath, own("internal/wire"), code, false},
		{modulePath, "unsafe", code, false},
		{modulePath, "C", test, false},
		{own("sensitive"), "strings", code, true},
		{own("sensitive"), modulePath, code, false},
		{own("sensitive"), kerrPath, code, false},
		{own("sensitive"), "github.com/stretchr/testify/require", test, true},
		{own("sensitive"), "github.com/stretchr/testify/require", code, false},
		{own("sensitive"), own("sensitive"), test, true},
		{own("errors"), kerrPath, code, true},
		{own("errors"), kmsgPath, code, false},
		{own("errors"), modulePath, code, false},
		{own("internal/identifier"), own("errors"), code, true},
		{own("internal/identifier"), modulePath, code, false},
		{own("internal/identifier"), kmsgPath, code, false},
		{own("internal/wire"), own("internal/identifier"), code, false},
		{own("internal/wire"), modulePath, code, true},
		{own("internal/wire"), kbinPath, code, true},
		{own("internal/wire"), kgoPath, code, false},
		{own("internal/wire"), own("internal/transport"), code, false},
		{own("internal/transport"), own("pushconfig"), code, false},
		{own("internal/connpatch"), own("internal/configdef"), code, false},
		{own("internal/connpatch"), own("internal/fakebroker"), code, false},
		{own("internal/connpatch"), own("internal/fakebroker"), test, true},
		{own("internal/connpatch"), kfakePath, test, true},
		{own("pushconfig"), own("internal/configdef"), code, true},
		{own("pushconfig"), own("dynconfig"), code, false},
		{own("pushconfig"), own("client"), code, false},
		{own("pushconfig"), own("client"), test, false},
		{own("pushconfig"), own("internal/topicstore"), code, false},
		{own("dynconfig"), own("internal/topicstore"), code, false},
		{own("client"), own("internal/topicstore"), code, true},
		{own("client"), own("dynconfig"), code, true},
		{own("client"), own("internal/kafkatest"), code, false},
		{own("client"), own("internal/kafkatest"), test, true},
		{own("client"), own("examples/quickstart"), test, false},
		{own("client"), own("cmd/kcfg"), code, false},
		{own("client"), own("examples/internal/table"), test, false},
		{own("client"), "example.com/other", code, false},
		{own("examples/quickstart"), own("client"), code, true},
		{own("examples/quickstart"), own("internal/fakebroker"), code, true},
		{own("examples/quickstart"), own("internal/kafkatest"), code, false},
		{own("examples/quickstart"), own("internal/wire"), code, false},
		{own("examples/quickstart"), own("examples/internal/table"), code, true},
		{own("examples/quickstart"), own("examples/producer"), code, false},
		{own("cmd/kcfg"), own("internal/kafkatest"), code, false},
		{own("cmd/kcfg/internal/cli"), own("internal/kafkatest"), test, true},
		{own("cmd/kcfg/internal/cli"), own("internal/fakebroker"), code, true},
		{own("cmd/kcfg/internal/cli"), own("internal/configdef"), code, false},
		{own("cmd/kcfg/internal/cli"), "github.com/spf13/cobra", code, true},
		{own("client"), "github.com/spf13/cobra", code, false},
		{own("fleet"), modulePath, code, true},
		{own("fleet"), own("client"), code, false},
		{own("cmd/kcfg"), own("internal/topicstore"), code, false},
		{own("somewhere/new"), "net", code, false},
		{own("examplesque"), kgoPath, code, false},
		{"example.com/other", kgoPath, code, false},
	} {
		if err := judge(tt.importer, tt.imported, tt.isTest); (err == nil) != tt.ok {
			t.Errorf("judge(%s, %s, %t) = %v, want ok: %t", tt.importer, tt.imported, tt.isTest, err, tt.ok)
		}
	}
	for _, tt := range []struct {
		importer, mod string
		ok            bool
	}{
		{own("client"), "", true},
		{own("client"), modulePath, true},
		{own("client"), "github.com/twmb/franz-go/pkg/kadm", true},
		{own("client"), kfakePath, false},
		{own("pushconfig"), "github.com/stretchr/testify", false},
		{own("cmd/kcfg"), kfakePath, true},
		{own("internal/fakebroker"), kfakePath, true},
		{kgoPath, "example.com/other", true},
	} {
		if err := judgeModule(tt.importer, tt.mod); (err == nil) != tt.ok {
			t.Errorf("judgeModule(%s, %s) = %v, want ok: %t", tt.importer, tt.mod, err, tt.ok)
		}
	}
}
