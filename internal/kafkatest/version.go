package kafkatest

import (
	"embed"
	"fmt"
	"os"
	"slices"
	"strings"
)

// DefaultVersion is the Kafka that Start starts when Options name none.
const DefaultVersion = "4.4.0"

//go:embed checksums-*.txt
var checksumFiles embed.FS

// Versions returns the versions of Kafka that Start knows, sorted as text.
func Versions() []string {
	files, err := checksumFiles.ReadDir(".")
	if err != nil {
		return nil // an embedded directory can be read
	}
	var versions []string
	for _, f := range files {
		v := strings.TrimPrefix(f.Name(), "checksums-")
		versions = append(versions, strings.TrimSuffix(v, ".txt"))
	}
	slices.Sort(versions)
	return versions
}

// Asked reports whether the environment asks for tests with Kafka, and for which
// version. KCFG_KAFKA names the version; REQUIRE_KAFKA=1 alone asks for the
// default one. Who is asked and cannot start it fails; who is not, skips.
func Asked() (version string, asked bool) {
	return askedFor(os.Getenv)
}

func askedFor(getenv func(string) string) (version string, asked bool) {
	if v := getenv("KCFG_KAFKA"); v != "" {
		return v, true
	}
	if getenv("REQUIRE_KAFKA") == "1" {
		return DefaultVersion, true
	}
	return "", false
}

// checksums returns the checksums of a version's jars.
func checksums(version string) (map[string]string, error) {
	text, err := checksumFiles.ReadFile("checksums-" + version + ".txt")
	if err != nil {
		return nil, fmt.Errorf("kafkatest: no checksums for Kafka %q; there are some for %s",
			version, strings.Join(Versions(), ", "))
	}
	return parseChecksums(string(text))
}
