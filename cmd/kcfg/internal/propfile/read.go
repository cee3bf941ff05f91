package propfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// MaxBytes bounds a file. Those that people write have some kilobytes.
const MaxBytes = 1 << 20

// Read is Parse for a file, where - stands for in. Its errors name the file, and nothing
// of what stands there.
func Read(in io.Reader, name string) ([]kcfg.KeyValue, error) {
	text, err := bounded(in, name)
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err // it would name the file again
	}
	if err != nil {
		return nil, fmt.Errorf("unable to read %s: %w", output.Text(name), err)
	}
	read, err := Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is %w", output.Text(name), err)
	}
	return read, nil
}

func bounded(in io.Reader, name string) ([]byte, error) {
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, MaxBytes+1))
	if err == nil && len(text) > MaxBytes {
		err = fmt.Errorf("it has more than %d bytes", MaxBytes)
	}
	return text, err
}
