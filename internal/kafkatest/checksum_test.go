package kafkatest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
}

// threeJars returns a directory with three jars, and their checksums.
func threeJars(t *testing.T) (dir string, sums map[string]string) {
	t.Helper()
	dir, sums = t.TempDir(), make(map[string]string)
	for _, name := range []string{"a.jar", "b.jar", "c.jar"} {
		write(t, dir, name, "this is "+name)
		sums[name] = fmt.Sprintf("%x", sha256.Sum256([]byte("this is "+name)))
	}
	return dir, sums
}

func TestVerifiedJarsAreTheOnesListed(t *testing.T) {
	dir, sums := threeJars(t)
	require.NoError(t, verify(dir, sums))

	for what, tt := range map[string]struct {
		name, text, want string
	}{
		"tampered": {"b.jar", "this is B.jar", "b.jar has the checksum "},
		"unknown":  {"d.jar", "this is d.jar", "d.jar is not in the list of checksums"},
		"missing":  {"b.jar", "", "b.jar is missing"},
	} {
		t.Run(what, func(t *testing.T) {
			dir, sums := threeJars(t)
			if tt.text == "" {
				require.NoError(t, os.Remove(filepath.Join(dir, tt.name)))
			} else {
				write(t, dir, tt.name, tt.text)
			}
			err := verify(dir, sums)
			require.ErrorContains(t, err, tt.want)
			require.ErrorContains(t, err, dir)
			for _, good := range []string{"a.jar", "c.jar"} {
				assert.NotContains(t, err.Error(), good)
			}
		})
	}
}

func TestChecksumsThatSha256sumDidNotWriteAreRefused(t *testing.T) {
	sum := strings.Repeat("0a", sha256.Size)
	sums, err := parseChecksums(sum + "  a.jar\n" + sum + "  b.jar\n")
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"a.jar": sum, "b.jar": sum}, sums)

	for _, text := range []string{
		sum + " a.jar\n",
		sum + "  \n",
		sum[2:] + "  a.jar\n",
		"x" + sum[1:] + "  a.jar\n",
		sum + "  ../a.jar\n",
		sum + "  a.jar\n" + sum + "  a.jar\n",
		"\n",
	} {
		_, err := parseChecksums(text)
		assert.Error(t, err, "%q", text)
	}
}

func TestEveryVersionHasItsOwnServerAmongItsChecksums(t *testing.T) {
	require.Contains(t, Versions(), DefaultVersion)
	assert.Contains(t, string(pom), "<kafka.version>"+DefaultVersion+"</kafka.version>")
	for _, version := range Versions() {
		sums, err := checksums(version)
		require.NoError(t, err)
		assert.Contains(t, sums, "kafka_2.13-"+version+".jar")
		assert.Contains(t, sums, "kafka-clients-"+version+".jar")
	}
	_, err := checksums("0.8.2")
	require.ErrorContains(t, err, "0.8.2")
	require.ErrorContains(t, err, DefaultVersion)
}
