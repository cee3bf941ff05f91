package kafkatest

import (
	"context"
	_ "embed" // the pom
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed pom.xml
var pom []byte

// jars returns the directory with the verified jars of a version. They are
// fetched when the cache does not have them.
func jars(ctx context.Context, cache, version string, sums map[string]string) (string, error) {
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("kafkatest: cache: %w", err)
	}
	// Two test binaries at once: the second waits and finds the jars.
	unlock, err := lock(filepath.Join(cache, version+".lock"))
	if err != nil {
		return "", fmt.Errorf("kafkatest: cache: %w", err)
	}
	defer unlock()

	dir := filepath.Join(cache, version)
	if _, err := os.Stat(dir); err == nil {
		if err := verify(dir, sums); err != nil {
			return "", fmt.Errorf("%w\nremove that directory to have them fetched again", err)
		}
		return dir, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("kafkatest: cache: %w", err)
	}
	return dir, fetch(ctx, cache, version, dir, sums)
}

// fetch lets Maven copy the jars into a directory of its own, and moves that to
// dir once they are verified: dir is there completely or not at all.
func fetch(ctx context.Context, cache, version, dir string, sums map[string]string) error {
	tmp, err := os.MkdirTemp(cache, version+"-fetch-")
	if err != nil {
		return fmt.Errorf("kafkatest: cache: %w", err)
	}
	defer os.RemoveAll(tmp)

	pomFile, fresh := filepath.Join(tmp, "pom.xml"), filepath.Join(tmp, "jars")
	if err := os.WriteFile(pomFile, pom, 0o600); err != nil {
		return fmt.Errorf("kafkatest: cache: %w", err)
	}
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return fmt.Errorf("kafkatest: Maven fetches Kafka %s, and is not there: %w", version, err)
	}
	cmd := exec.CommandContext(ctx, mvn, "--batch-mode", "--quiet", "--file", pomFile,
		"dependency:copy-dependencies", "-DincludeScope=runtime",
		"-Dkafka.version="+version, "-DoutputDirectory="+fresh)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kafkatest: fetch Kafka %s: %w\n%s", version, errors.Join(err, context.Cause(ctx)), tail(string(out)))
	}
	if err := verify(fresh, sums); err != nil {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("kafkatest: cache: %w", err)
	}
	return nil
}

// classpath names every jar, in the order of the names: Java leaves the order of
// "dir/*" open, and two jars with the same class would be a matter of luck.
func classpath(dir string, sums map[string]string) string {
	var paths []string
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		paths = append(paths, filepath.Join(dir, name))
	}
	return strings.Join(paths, string(filepath.ListSeparator))
}

// java finds the Java of JAVA_HOME, or else that of the path.
func java() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		return exec.LookPath(filepath.Join(home, "bin", "java"))
	}
	return exec.LookPath("java")
}

// tail returns the last lines of a text, enough of them for a stack trace.
func tail(text string) string {
	const keep = 40
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-keep):], "\n")
}
