package kafkatest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// parseChecksums reads what sha256sum prints: the sum, two spaces, the name.
func parseChecksums(text string) (map[string]string, error) {
	sums := make(map[string]string)
	for line := range strings.Lines(text) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		raw, err := hex.DecodeString(sum)
		if !ok || err != nil || len(raw) != sha256.Size || name == "" || name != filepath.Base(name) {
			return nil, fmt.Errorf("kafkatest: checksums: not a line of sha256sum: %q", line)
		}
		if _, twice := sums[name]; twice {
			return nil, fmt.Errorf("kafkatest: checksums: %s is there twice", name)
		}
		sums[name] = sum
	}
	return sums, nil
}

// verify checks that dir holds the files that sums names, as they were, and no
// other. All that is wrong is in the error, in the order of the names.
func verify(dir string, sums map[string]string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("kafkatest: jars: %w", err)
	}
	var wrong []error
	present := make(map[string]bool)
	for _, e := range entries {
		present[e.Name()] = true
		if _, known := sums[e.Name()]; !known {
			wrong = append(wrong, fmt.Errorf("%s is not in the list of checksums", e.Name()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if !present[name] {
			wrong = append(wrong, fmt.Errorf("%s is missing", name))
			continue
		}
		sum, err := sha256File(filepath.Join(dir, name))
		switch {
		case err != nil:
			wrong = append(wrong, err)
		case sum != sums[name]:
			wrong = append(wrong, fmt.Errorf("%s has the checksum %s, want %s", name, sum, sums[name]))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("kafkatest: refusing the jars in %s: %w", dir, errors.Join(wrong...))
	}
	return nil
}

func sha256File(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
