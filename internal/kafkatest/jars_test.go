package kafkatest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fakeMaven puts an mvn on the path that copies the files of a directory to where
// it is told, or runs a line of shell instead.
func fakeMaven(t *testing.T, line string) {
	t.Helper()
	bin := t.TempDir()
	script := "#!/bin/sh\nfor arg; do case $arg in -DoutputDirectory=*) out=${arg#*=};; esac; done\n" + line + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "mvn"), []byte(script), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestFetchedJarsAreCached(t *testing.T) {
	source, sums := threeJars(t)
	fakeMaven(t, `cp -r "`+source+`" "$out"`)
	cache := filepath.Join(t.TempDir(), "cache")
	dir, err := jars(t.Context(), cache, "1.2.3", sums)
	require.NoError(t, err)
	require.NoError(t, verify(dir, sums))

	fakeMaven(t, "echo fetched again; exit 1")
	again, err := jars(t.Context(), cache, "1.2.3", sums)
	require.NoError(t, err)
	assert.Equal(t, dir, again)

	write(t, dir, "a.jar", "tampered with in the cache")
	_, err = jars(t.Context(), cache, "1.2.3", sums)
	require.ErrorContains(t, err, "a.jar has the checksum")
	require.ErrorContains(t, err, "remove that directory")
}

func TestManyAtOnceFetchOnce(t *testing.T) {
	source, sums := threeJars(t)
	runs := filepath.Join(t.TempDir(), "runs")
	fakeMaven(t, `echo run >>"`+runs+`"; cp -r "`+source+`" "$out"`)
	cache := t.TempDir()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			_, err := jars(t.Context(), cache, "1.2.3", sums)
			assert.NoError(t, err)
		})
	}
	wg.Wait()
	text, err := os.ReadFile(runs)
	require.NoError(t, err)
	assert.Equal(t, "run\n", string(text))
}

func TestRefusedJarsAreNotCached(t *testing.T) {
	source, sums := threeJars(t)
	write(t, source, "b.jar", "not what it was")
	for what, line := range map[string]string{
		"b.jar has the checksum": `cp -r "` + source + `" "$out"`,
		"no such artifact":       "echo no such artifact; exit 1",
	} {
		fakeMaven(t, line)
		cache := t.TempDir()
		_, err := jars(t.Context(), cache, "1.2.3", sums)
		require.ErrorContains(t, err, what)

		left, err := os.ReadDir(cache)
		require.NoError(t, err)
		require.Len(t, left, 1)
		assert.Equal(t, "1.2.3.lock", left[0].Name())
	}
}

func TestMissingMavenIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := jars(t.Context(), t.TempDir(), "1.2.3", nil)
	require.ErrorContains(t, err, "Maven")
}

func TestMissingJavaIsNamed(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, home := range []string{"", t.TempDir()} {
		t.Setenv("JAVA_HOME", home)
		_, err := Start(t.Context(), Options{})
		require.ErrorContains(t, err, "Java 17")
	}
}

func TestClasspathIsSortedByName(t *testing.T) {
	sums := map[string]string{"b.jar": "", "a.jar": "", "a-1.jar": "", "c.jar": ""}
	want := filepath.FromSlash("lib/a-1.jar:lib/a.jar:lib/b.jar:lib/c.jar")
	assert.Equal(t, want, classpath("lib", sums))
}
