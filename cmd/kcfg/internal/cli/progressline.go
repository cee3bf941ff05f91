package cli

import (
	"fmt"
	"io"
	"sync"
)

const eraseLine = "\r\x1b[K"

// progressLine is the line that shows what lasts. It and the results may be on one
// terminal.
type progressLine struct {
	out, err io.Writer

	mu    sync.Mutex
	shown bool
}

func (l *progressLine) show(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown = true
	fmt.Fprint(l.err, eraseLine, text)
}

func (l *progressLine) erase() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eraseLocked()
}

func (l *progressLine) eraseLocked() {
	if l.shown {
		fmt.Fprint(l.err, eraseLine)
	}
	l.shown = false
}

// Write writes a part of the result, which is whole lines, where the line was.
func (l *progressLine) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.eraseLocked()
	return l.out.Write(b)
}
