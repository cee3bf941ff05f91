package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/examples/internal/connect"
	"github.com/kcfg-go/kcfg/examples/internal/table"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

func printDescribed(out io.Writer, title string, ds []kcfg.Described) error {
	var rows [][]string
	for _, d := range ds {
		for _, v := range d.Values {
			rows = append(rows, []string{d.Entity.String(), v.Key, v.Value})
		}
		for _, software := range slices.Sorted(maps.Keys(d.Supported)) {
			rows = append(rows, []string{d.Entity.String(), "supported by " + software, strings.Join(d.Supported[software], ",")})
		}
	}
	if len(rows) == 0 {
		rows = [][]string{{"(nothing is set)"}}
	}
	return table.Write(out, title, []string{"ENTITY", "KEY", "VALUE"}, rows)
}

func printAltered(out io.Writer, title string, outcomes []kcfg.Altered) error {
	var rows [][]string
	for _, o := range outcomes {
		result := "yes"
		if o.Err != nil {
			result = "no: " + o.Err.Error()
		}
		rows = append(rows, []string{o.Entity.String(), result})
	}
	return table.Write(out, title, []string{"ENTITY", "RESULT"}, rows)
}

// open returns the cluster that the flags name, or else the reference broker.
func open(flags *connect.Flags) (connect.Target, func(), error) {
	if flags.Named() {
		target, err := flags.Target()
		return target, func() {}, err
	}
	if err := flags.Check(); err != nil {
		return connect.Target{}, nil, err
	}
	broker, err := fakebroker.New(
		fakebroker.Brokers(3),
		fakebroker.DynamicConfigs(),
		fakebroker.AlterPolicy(fakebroker.AlterPolicyFunc(shortSessions)),
	)
	if err != nil {
		return connect.Target{}, nil, err
	}
	return connect.To(broker.Addrs()), broker.Close, nil
}

// shortSessions is the policy of the embedded broker. It sees values that passed
// every other check, so that more digits are a longer time.
func shortSessions(_ context.Context, m fakebroker.AlterMetadata) error {
	if len(strings.TrimSpace(m.Configs()["session.timeout.ms"])) > len("60000") {
		return errors.New("session.timeout.ms must not be above a minute")
	}
	return nil
}
