package entityargs

import (
	"errors"

	"github.com/spf13/pflag"
)

// Flags are the flags that name an entity, in the order in which they came.
type Flags struct {
	types []string
	names []*string // nil is the default
	short []Part
}

// AddFlags defines the flags. They may be asked after fs was parsed.
func AddFlags(fs *pflag.FlagSet) *Flags {
	f := new(Flags)
	fs.Var(each(func(s string) { f.types = append(f.types, s) }), "entity-type",
		"`type` of the entity: users, clients, topics, brokers, groups, client-metrics, ips or broker-loggers; users and clients go together")
	fs.Var(each(func(s string) { f.names = append(f.names, &s) }), "entity-name",
		"`name` of the entity; the first name or default belongs to the first type, and so on")
	noValue(fs, "entity-default", "the default entity of the type", func() { f.names = append(f.names, nil) })
	for _, s := range []struct{ flag, kind, what string }{
		{"user", Users, "`name` of a user, which may be empty"},
		{"client", Clients, "client `id`, of the user if one is named"},
		{"client-id", Clients, "client `id`; the same as --client"},
		{"topic", Topics, "`name` of a topic"},
		{"broker", Brokers, "`id` of a broker"},
		{"broker-logger", BrokerLoggers, "`id` of the broker whose loggers are meant"},
		{"group", Groups, "`id` of a group"},
		{"client-metrics", ClientMetrics, "`name` of a subscription of client metrics"},
		{"ip", IPs, "IP `address` that clients connect from"},
	} {
		fs.Var(each(func(name string) { f.add(s.kind, &name) }), s.flag, s.what)
	}
	for _, s := range []struct{ flag, kind, what string }{
		{"user-defaults", Users, "the default user"},
		{"client-defaults", Clients, "the default client id"},
		{"broker-defaults", Brokers, "what is set for all brokers"},
		{"ip-defaults", IPs, "the default IP address"},
	} {
		noValue(fs, s.flag, s.what, func() { f.add(s.kind, nil) })
	}
	return f
}

func (f *Flags) add(kind string, name *string) {
	f.short = append(f.short, Part{Type: kind, Named: true, Name: name})
}

// each is a flag that may come several times. Unlike pflag's own it shares the order
// with other flags, and takes an empty value for one.
type each func(string)

func (e each) Set(s string) error { e(s); return nil }
func (e each) String() string     { return "" }
func (e each) Type() string       { return "string" }

// noValue defines a flag that has no value. What a false one means is not guessed.
func noValue(fs *pflag.FlagSet, name, usage string, given func()) {
	fs.BoolFunc(name, usage, func(value string) error {
		if value != "true" {
			return errors.New("the flag has no value")
		}
		given()
		return nil
	})
}
