package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/magiconair/properties"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
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
	configs, ok := parseProperties(text)
	if !ok {
		return nil, fmt.Errorf("%s is not in the form of properties", output.Text(name)) // which line would show a value
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

// parseProperties reads Java's form as it is: ${x} is a text like any other. Of a key
// that occurs twice the last counts.
func parseProperties(text []byte) (map[string]string, bool) {
	loader := properties.Loader{Encoding: properties.UTF8, DisableExpansion: true}
	p, err := loader.LoadBytes(text)
	if err != nil {
		return nil, false
	}
	return p.Map(), true
}
