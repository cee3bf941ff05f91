package cli

import (
	"fmt"
	"sync"
	"time"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

// patience is how long something may take before the user is told what it is.
const patience = time.Second

// progress shows on a terminal what takes longer than a second, until the returned
// function is called. It shows nothing where standard error is none.
func (a *app) progress(doing string) (done func()) { return a.progressOf(always(doing)) }

// progressOf is progress where what doing returns may change.
func (a *app) progressOf(doing func() string) (done func()) {
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

func (a *app) spin(doing func() string, stop <-chan struct{}) {
	ticker := time.NewTicker(patience)
	defer ticker.Stop()
	start := time.Now()
	for {
		select {
		case <-stop:
			a.line.erase()
			return
		case <-ticker.C:
			a.line.show(fmt.Sprintf("%s ... %s", output.Printable(doing()), time.Since(start).Round(time.Second)))
		}
	}
}
