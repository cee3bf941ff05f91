//go:build !windows

package cli

import (
	"context"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// terminal is a pseudo terminal: what the command writes to tty is on the screen.
type terminal struct {
	*screen

	tty  *os.File
	read chan struct{} // closed when all is on the screen
}

func openTerminal(t *testing.T) *terminal {
	t.Helper()
	master, tty, err := pty.Open()
	require.NoError(t, err)
	term := &terminal{newScreen(), tty, make(chan struct{})}
	go func() {
		defer close(term.read)
		_, _ = io.Copy(term.screen, master) // it ends with an error when the tty is closed
	}()
	t.Cleanup(func() {
		_ = tty.Close()
		<-term.read
		_ = master.Close()
	})
	return term
}

// begin runs the command on the terminal, and returns a function that waits for it
// and returns what is on the screen then.
func (term *terminal) begin(t *testing.T, args ...string) (end func() string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	done := make(chan struct{})
	go func() {
		defer close(done)
		Run(ctx, Streams{In: strings.NewReader(""), Out: term.tty, Err: term.tty}, args)
	}()
	return func() string {
		defer cancel()
		<-done
		return term.whole(t)
	}
}

func (term *terminal) on(t *testing.T, args ...string) string {
	t.Helper()
	return term.begin(t, args...)()
}

// whole returns what is on the screen when nothing more is written.
func (term *terminal) whole(t *testing.T) string {
	t.Helper()
	require.NoError(t, term.tty.Close())
	<-term.read
	return term.String()
}

const bold = "\x1b[1m"

func TestColorsAreForTerminals(t *testing.T) {
	_, at := broker(t)
	verb := func(more ...string) []string { return append(append([]string{"setup"}, at...), more...) }
	t.Setenv("NO_COLOR", "")
	assert.Contains(t, openTerminal(t).on(t, verb()...), bold+"TOPIC")
	assert.NotContains(t, ok(t, verb()...), "\x1b")
	assert.Contains(t, ok(t, verb("--color", "always")...), bold+"TOPIC")
	never := openTerminal(t).on(t, verb("--color", "never")...)
	assert.Contains(t, never, "TOPIC")
	assert.NotContains(t, never, "\x1b")
	assert.NotContains(t, openTerminal(t).on(t, verb("-o", "json")...), "\x1b")
	t.Setenv("NO_COLOR", "1")
	assert.NotContains(t, openTerminal(t).on(t, verb()...), "\x1b")
}

func TestWhatTakesLongIsShownOnATerminalAndErased(t *testing.T) {
	c, at := broker(t)
	release := make(chan struct{})
	c.Script(fakebroker.Fault{Keys: []int16{18}, Hold: release}) // ApiVersions
	term := openTerminal(t)
	end := term.begin(t, append([]string{"setup"}, at...)...)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	term.await(ctx, t, "connecting to "+c.Addrs()[0]+" ... ")
	close(release)
	_, after, _ := strings.Cut(end(), "connecting to ")
	assert.Contains(t, after, eraseLine)
	assert.Contains(t, after, "_kcfg_clients")
	i, j := strings.LastIndex(after, "connecting to"), strings.Index(after, "_kcfg_clients")
	assert.Less(t, i, j)
}

func TestProgressIsNotShownElsewhere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	r := run(t, "setup", "--bootstrap-server", l.Addr().String(), "--timeout", "1500ms") // longer than patience
	assert.Equal(t, codeTimedOut, r.code)
	assert.Equal(t, 1, strings.Count(r.err, "\n"), r.err)
	assert.NotContains(t, r.err, "\x1b")
}
