package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/propfile"
)

// maxProperties bounds a file of properties. Those that people write have some
// kilobytes.
const maxProperties = 1 << 20

// readConfigs reads a client's configurations from a file; - is standard input.
func (a *app) readConfigs(name string) (map[string]string, error) {
	text, err := a.readSome(name)
	if err != nil {
		return nil, fmt.Errorf("unable to read %s: %w", output.Text(name), pathError(err))
	}
	read, err := propfile.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is %w", output.Text(name), err)
	}
	configs := make(map[string]string, len(read))
	for _, kv := range read {
		configs[kv.Key] = kv.Value
	}
	return configs, nil
}

func (a *app) readSome(name string) ([]byte, error) {
	in := a.streams.In
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxProperties+1))
	if err == nil && len(text) > maxProperties {
		err = fmt.Errorf("it has more than %d bytes", maxProperties)
	}
	return text, err
}
