// Command benchratio measures what the library costs a client, as a ratio to
// bare kgo in the same run.
//
// Every round runs each job several times, in an order that rotates: with bare kgo,
// with bare kgo again, with the library, and where it applies with the library and
// an override of acks. The second over the first is the control: what it differs
// from 1 is the noise of the machine. It prints the quartiles of the ratios over all
// rounds.
//
//	go run ./internal/benchratio -rounds 31
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 31, "rounds of each job")
	records := flag.Int("records", 200_000, "records that a round produces or consumes")
	flag.Parse()
	if err := run(*rounds, *records); err != nil {
		fmt.Fprintln(os.Stderr, "benchratio:", err)
		os.Exit(1)
	}
}

func run(rounds, records int) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c, err := newCluster()
	if err != nil {
		return err
	}
	defer c.Close()
	for _, j := range jobs(records) {
		r, err := measure(ctx, c, j, rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", j.name, err)
		}
		fmt.Println(r)
	}
	return nil
}

// measure runs a job in rounds.
func measure(ctx context.Context, c *cluster, j job, rounds int) (result, error) {
	makers := j.makers
	r := newResult(j)
	for round := range rounds {
		took := make([]time.Duration, len(makers))
		conns := make([]int, len(makers))
		for i := range makers {
			k := (i + round) % len(makers)
			before := c.Connections()
			d, err := j.time(ctx, c, makers[k])
			if err != nil {
				return r, err
			}
			took[k], conns[k] = d, c.Connections()-before
		}
		r.add(took, conns)
	}
	return r, nil
}
