// Kcfg is the operator's command: which clients run with which configuration, what
// is set for them, and changing it safely. See kcfg --help, and the README.
//
//	go run ./cmd/kcfg --help
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := cli.Run(ctx, cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args[1:])
	stop()
	os.Exit(code)
}
