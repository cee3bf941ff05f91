package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/propfile"
)

func TestCheckPrintsEveryForm(t *testing.T) {
	records := someFleet()
	_, at := fleetOf(t, records...)
	for name, tt := range map[string]struct {
		args []string
		code int
	}{
		"check":          {[]string{"check", "testdata/producer.properties"}, codeFailed},
		"check-producer": {[]string{"check", "testdata/producer.properties", "--kind", "producer"}, codeFailed},
		"check-json":     {[]string{"check", "testdata/producer.properties", "-o", "json"}, codeFailed},
		"check-yaml":     {[]string{"check", "--file", "testdata/producer.properties", "-o", "yaml"}, codeFailed},
		"check-color":    {[]string{"check", "testdata/producer.properties", "--color", "always"}, codeFailed},
		"check-client":   {append([]string{"check", "orders"}, at...), codeOK},
		"check-hostile":  {append([]string{"check", instance(5)}, at...), codeFailed},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, tt.args...)
			assert.Equal(t, tt.code, r.code, r.err)
			assert.NotContains(t, r.out+r.err, "hunter2")
			golden(t, name, r.out)
			if tt.code == codeFailed {
				assert.Contains(t, r.err, " found\n")
			}
		})
	}
}

// file writes a file of properties.
func file(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "client.properties")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func TestCheckExitsWithZeroUnlessThereIsAnError(t *testing.T) {
	assert.Contains(t, ok(t, "check", file(t, "acks=all\n")), "1 configuration of ")
	assert.Contains(t, ok(t, "check", file(t, "my.own=x\n")), "0 errors, 1 warning")
	assert.Contains(t, ok(t, "check", file(t, "")), "0 configurations")
	r := run(t, "check", file(t, "linger.ms=x"))
	assert.Equal(t, codeFailed, r.code)
	assert.Equal(t, "kcfg: 1 error found\n", r.err)
}

func TestCheckReadsStandardInput(t *testing.T) {
	for _, args := range [][]string{{"check", "-"}, {"check", "--file", "-"}} {
		var out, err bytes.Buffer
		code := Run(t.Context(), Streams{In: strings.NewReader("acks=2\nlinger.ms=${x}"), Out: &out, Err: &err}, args)
		assert.Equal(t, codeFailed, code)
		assert.Contains(t, out.String(), "2 configurations of standard input: 2 errors, 0 warnings")
	}
}

func TestCheckTellsFilesAndClientsApart(t *testing.T) {
	_, at := fleetOf(t, consumerRecord(1, func(r *kcfg.ClientRecord) { r.ClientID = "client.properties" }), consumerRecord(2, func(r *kcfg.ClientRecord) { r.ClientID = "" }))
	t.Chdir(filepath.Dir(file(t, "acks=all\n")))
	assert.Contains(t, ok(t, append([]string{"check", "client.properties"}, at...)...), "of client.properties")
	assert.Contains(t, ok(t, append([]string{"check", "--client-id", "client.properties"}, at...)...), "of 1 client, ")
	assert.Contains(t, ok(t, append([]string{"check", "--client-id", ""}, at...)...), "of 1 client, ")
	assert.Contains(t, ok(t, append([]string{"check", "--instance", instance(1)}, at...)...), "of 1 client, ")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"check", "none.properties"}, codeUsage, "there is no file none.properties"},
		{[]string{"check", "--file", "none.properties"}, codeUsage, "unable to read none.properties: no such file"},
		{append([]string{"check", "none.properties"}, at...), codeFailed, "no client that tells of itself"},
		{[]string{"check"}, codeUsage, "name a file"},
		{[]string{"check", "client.properties", "--file", "x"}, codeUsage, "name one"},
		{[]string{"check", "client.properties", "--instance", "x"}, codeUsage, "name one"},
		{[]string{"check", "client.properties", "--kind", "stream"}, codeUsage, "--kind"},
		{append([]string{"check", "--instance", "x", "--kind", "admin"}, at...), codeUsage, "--kind"},
	} {
		r := run(t, tt.args...)
		assert.Equal(t, tt.code, r.code, "%q", tt.args)
		assert.Contains(t, r.err, tt.want, "%q", tt.args)
	}
}

func TestCheckRefusesWhatAreNoPropertiesAndShowsNothingOfThem(t *testing.T) {
	for name, text := range map[string]string{
		"is not in the form of properties": `password=hunter2\u12`,
		"has more than":                    strings.Repeat("password=hunter2\n", propfile.MaxBytes/10),
	} {
		r := run(t, "check", file(t, text))
		assert.Equal(t, codeUsage, r.code)
		assert.Contains(t, r.err, name)
		assert.NotContains(t, r.err, "hunter2")
	}
}
