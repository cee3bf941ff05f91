package entityargs

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/propfile"
)

// Changes are the flags that say what is to be done.
type Changes struct {
	add, remove, files []string
}

// AddChangeFlags defines the flags. They may be asked after fs was parsed.
func AddChangeFlags(fs *pflag.FlagSet) *Changes {
	c := new(Changes)
	fs.Var(each(func(s string) { c.add = append(c.add, s) }), "add-config", "set `key=value,...`; values with commas stand in square brackets, key=[a,b]")
	fs.Var(each(func(s string) { c.remove = append(c.remove, s) }), "delete-config", "delete `key,...`")
	fs.Var(each(func(s string) { c.files = append(c.files, s) }), "add-config-file", "set what a properties `file` has; - is standard input")
	return c
}

// Ops returns what is to be done, by the flags and by the words behind them, sorted by
// key. No key comes twice.
func (c *Changes) Ops(in io.Reader, words []string) ([]kcfg.ConfigOp, error) {
	out, err := parseWords(words)
	if err != nil {
		return nil, err
	}
	for _, text := range c.add {
		ops, err := parseAdd(text)
		if err != nil {
			return nil, err
		}
		out = append(out, ops...)
	}
	for _, text := range c.remove {
		ops, err := parseDelete(text)
		if err != nil {
			return nil, err
		}
		out = append(out, ops...)
	}
	for _, name := range c.files {
		ops, err := readFile(in, name)
		if err != nil {
			return nil, err
		}
		out = append(out, ops...)
	}
	slices.SortFunc(out, func(a, b kcfg.ConfigOp) int { return strings.Compare(a.Key, b.Key) })
	return out, check(out)
}

func check(ops []kcfg.ConfigOp) error {
	if len(ops) == 0 {
		return errors.New("what is to be changed? use --add-config, --add-config-file or --delete-config, or set key=value and delete key")
	}
	for i, op := range ops {
		switch {
		case op.Key == "":
			return errors.New("a key is empty")
		case !keyForm.MatchString(op.Key):
			return fmt.Errorf("%q: a key has none but letters, digits, and $ . _ -", op.Key)
		case !utf8.ValidString(op.Value):
			return fmt.Errorf("%s: the value is not UTF-8", op.Key)
		case i > 0 && ops[i-1].Key == op.Key:
			return fmt.Errorf("%q comes twice", op.Key)
		}
	}
	return nil
}

// keyForm is that of Kafka's tool. Loggers have a dollar sign.
var keyForm = regexp.MustCompile(`^[$a-zA-Z0-9._-]+$`)

func readFile(in io.Reader, name string) ([]kcfg.ConfigOp, error) {
	if name == "" {
		return nil, errors.New("--add-config-file is empty")
	}
	read, err := propfile.Read(in, name)
	if err != nil {
		return nil, fmt.Errorf("--add-config-file: %w", err)
	}
	out := make([]kcfg.ConfigOp, 0, len(read))
	for _, kv := range read {
		out = append(out, kcfg.SetConfig(kv.Key, kv.Value))
	}
	return out, nil
}
