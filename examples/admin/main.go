// The admin shows what an operator does with dynamic client configurations
// (KIP-649): it describes them, asks the cluster whether a change would pass,
// makes it, and takes it back.
//
//	go run ./examples/admin
//	go run ./examples/admin -brokers localhost:9092 -entity-user alice -entity-client orders-api
//
// Without -brokers it starts the reference broker, whose policy does not let
// sessions be longer than a minute. A cluster that has no such configurations is
// told of in one line.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/dynconfig"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/program"
)

func main() { program.Main("admin", run) }

func run(ctx context.Context, out io.Writer, args []string) error {
	fs := flag.NewFlagSet("admin", flag.ContinueOnError)
	flags := connect.AddFlags(fs)
	user := fs.String("entity-user", "alice", "configure the clients of this user `name`")
	id := fs.String("entity-client", "orders-api", "configure this `client.id` of the user")
	timeout := fs.Duration("timeout", 30*time.Second, "give up after this `time`")
	if done, err := program.Parse(fs, out, args); done || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()

	target, end, err := open(flags)
	if err != nil {
		return err
	}
	defer end()

	// An Admin works through any client of the library.
	cl, err := client.New(target.Kgo(), target.Options(client.WithKind(kcfg.KindAdmin))...)
	if err != nil {
		return err
	}
	defer cl.Close()
	admin, err := client.NewAdmin(cl.Client)
	if err != nil {
		return err
	}
	err = tour(ctx, out, admin, *user, *id)
	if errors.Is(err, cfgerrors.ErrUnsupported) {
		_, err = fmt.Fprintln(out, "the cluster does not support dynamic client configurations (KIP-649)")
	}
	return err
}

// tour changes something and leaves everything as it was.
func tour(ctx context.Context, out io.Writer, admin *client.Admin, user, id string) error {
	filter := kcfg.FilterUser(user).Client(id)
	before, err := admin.DescribeClientConfigs(ctx, filter)
	if err != nil {
		return err
	}
	if err := printDescribed(out, "Before", before); err != nil {
		return err
	}
	if len(before) > 0 && len(before[0].Values) > 0 {
		return fmt.Errorf("%s has configurations already; name another client", before[0].Entity)
	}

	entity := kcfg.User(user).Client(id)
	change := kcfg.Alter(entity, kcfg.Set("acks", "1"), kcfg.Set("session.timeout.ms", "30000"))
	tooLong := kcfg.Alter(kcfg.User(user), kcfg.Set("session.timeout.ms", "600000"))
	outcomes, err := admin.ValidateAlterClientConfigs(ctx, change, tooLong)
	if err != nil {
		return err
	}
	if err := printAltered(out, "Would the cluster take it?", outcomes); err != nil {
		return err
	}

	if err := alter(ctx, admin, change); err != nil {
		return err
	}
	after, err := admin.DescribeClientConfigs(ctx, filter)
	if err := errors.Join(err, printDescribed(out, "After", after)); err != nil {
		return err
	}
	return alter(ctx, admin, kcfg.Alter(entity, kcfg.Remove("acks"), kcfg.Remove("session.timeout.ms")))
}

// alter makes changes of which each must succeed.
func alter(ctx context.Context, admin *client.Admin, alterations ...kcfg.Alteration) error {
	outcomes, err := admin.AlterClientConfigs(ctx, alterations...)
	if err != nil {
		return err // the request as a whole
	}
	return dynconfig.AlterError(outcomes)
}
