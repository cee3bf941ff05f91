package main

import (
	"context"
	"fmt"
	"io"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
)

var (
	_ client.HookPushed     = (*events)(nil)
	_ client.HookPushFailed = (*events)(nil)
)

// events are hooks. They run on a goroutine of the library, so they only hand
// over a line to print.
type events struct{ lines chan string }

func newEvents() *events { return &events{lines: make(chan string, 16)} }

// OnPushed is called after a broker took the configurations. The event has the
// values too; a log should not.
func (e *events) OnPushed(_ context.Context, ev kcfg.Pushed) {
	e.note(fmt.Sprintf("hook: %s took %d configurations", connect.Node(ev.Node), len(ev.Configs)))
}

// OnPushFailed is called after a push that nobody took.
func (e *events) OnPushFailed(_ context.Context, ev kcfg.PushFailure) {
	e.note(fmt.Sprintf("hook: not pushed after %d requests: %v", ev.Requests, ev.Err))
}

func (e *events) note(line string) {
	select {
	case e.lines <- line:
	default: // nobody reads them; a hook has better to do than to wait
	}
}

// print prints the lines so far.
func (e *events) print(out io.Writer) {
	for {
		select {
		case line := <-e.lines:
			fmt.Fprintln(out, line)
		default:
			return
		}
	}
}
