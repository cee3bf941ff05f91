package cli

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// screen is what a command that still runs has printed.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	changed chan struct{} // closed with the next text
}

func newScreen() *screen { return &screen{changed: make(chan struct{})} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until the text is on the screen.
func (s *screen) await(ctx context.Context, t *testing.T, text string) {
	t.Helper()
	for {
		s.mu.Lock()
		there, changed := strings.Contains(s.text.String(), text), s.changed
		s.mu.Unlock()
		if there {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			require.Fail(t, "it was not said", "%q is not in %q", text, s.String())
		}
	}
}

// running is a command that runs until it is ended.
type running struct {
	out, err *screen
	cancel   context.CancelFunc
	code     func() int // waits
}

// begin runs the command until end is called.
func begin(t *testing.T, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	code := make(chan int, 1)
	r := &running{newScreen(), newScreen(), cancel, sync.OnceValue(func() int { return <-code })}
	go func() { code <- Run(ctx, Streams{In: strings.NewReader(""), Out: r.out, Err: r.err}, args) }()
	return r
}

// says waits until the command printed something.
func (r *running) says(t *testing.T, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r.out.await(ctx, t, text)
}

// end interrupts the command and returns its exit code. It may be
// called again.
func (r *running) end() int {
	r.cancel()
	return r.code()
}
