package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// patience is how long something may take before the user is told what it is.
const patience = time.Second

// progress shows on a terminal what takes longer than a second, until the returned
// function is called. It shows nothing where standard error is none.
func (a *app) progress(doing string) (done func()) {
	if !isTerminal(a.streams.Err) {
		return func() {}
	}
	stop := make(chan struct{})
	var shown sync.WaitGroup
	shown.Go(func() { a.spin(doing, stop) })
	return sync.OnceFunc(func() {
		close(stop)
		shown.Wait()
	})
}

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

func (a *app) spin(doing string, stop <-chan struct{}) {
	ticker := time.NewTicker(patience)
	defer ticker.Stop()
	start := time.Now()
	for {
		select {
		case <-stop:
			a.line.erase()
			return
		case <-ticker.C:
			a.line.show(fmt.Sprintf("%s ... %s", output.Printable(doing), time.Since(start).Round(time.Second)))
		}
	}
}
