// The topics program does what an operator does once for a cluster whose brokers do
// not speak the RPCs: it makes the two topics that stand in for them, and tells, or
// gives, the rights that applications and operators need.
//
//	go run ./examples/topics -brokers localhost:9092 -application User:orders -operator User:ops
//
// It may be run again: what is there is checked, and settings that somebody changed
// are corrected. Without -brokers it shows it on an embedded broker.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/program"
	"github.com/kcfg-go/kcfg/examples/internal/table"
)

func main() { program.Main("topics", run) }

func run(ctx context.Context, out io.Writer, args []string) error {
	fs := flag.NewFlagSet("topics", flag.ContinueOnError)
	flags := connect.AddFlags(fs)
	var applications, operators list
	fs.Var(&applications, "application", "the `principal` of an application, such as User:orders; may be repeated")
	fs.Var(&operators, "operator", "the `principal` of an operator, such as User:ops; may be repeated")
	apply := fs.Bool("apply-acls", false, "create the ACLs instead of printing the commands that do")
	replicas := fs.Int("replicas", 0, "replication `factor`; by default 3, or the number of brokers where there are fewer")
	dynamic := fs.String("dynamic-topic", "", "`name` of the topic for what operators set, instead of _kcfg_dynamic_configs")
	clients := fs.String("clients-topic", "", "`name` of the topic for what clients tell, instead of _kcfg_clients")
	timeout := fs.Duration("timeout", time.Minute, "give up after this `time`")
	if done, err := program.Parse(fs, out, args); done || err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, *timeout)
	defer cancel()

	target, end, err := flags.Open()
	if err != nil {
		return err
	}
	defer end()
	// Any client will do. This one tells nobody about itself.
	cl, err := client.New(target.Kgo(kgo.ClientID("topics")), target.Options(client.DisableConfigsPush(), client.DisableDynamicConfigs())...)
	if err != nil {
		return err
	}
	defer cl.Close()
	if err := target.Reach(ctx, cl); err != nil {
		return err
	}
	admin, err := client.NewAdmin(cl.Client, client.Transport(client.TransportTopics),
		client.Topics(client.TopicNames{Dynamic: *dynamic, Clients: *clients}))
	if err != nil {
		return err
	}
	made, err := admin.SetupTopics(ctx, kcfg.TopicSetup{
		Replicas:     int16(*replicas),
		Applications: applications,
		Operators:    operators,
		ApplyACLs:    *apply,
	})
	if err != nil {
		return err
	}
	return show(out, made)
}

// list is a flag that may be repeated. It is not split: the names of TLS principals
// have commas.
type list []string

func (l *list) String() string { return strings.Join(*l, " ") }

func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

func show(out io.Writer, made kcfg.TopicsMade) error {
	var topics, settings [][]string
	for _, t := range made.Topics {
		what := "was there"
		if t.Created {
			what = "created"
		}
		topics = append(topics, []string{t.Name, what})
		for _, s := range t.Settings {
			settings = append(settings, []string{t.Name, s.Key, s.Value, s.Was})
		}
	}
	err := errors.Join(
		table.Write(out, "Topics", []string{"TOPIC", "WHAT"}, topics),
		table.Write(out, "Settings", []string{"TOPIC", "SETTING", "VALUE", "WAS"}, settings),
	)
	if err != nil || len(made.ACLs) == 0 {
		return err
	}
	title := "These commands give the rights:"
	if made.ACLsApplied {
		title = "The rights that were given, as commands:"
	}
	_, err = fmt.Fprintf(out, "%s\n%s\n", title, strings.Join(made.ACLs, "\n"))
	return err
}
