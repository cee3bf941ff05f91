package client

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kversion"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/configdef"
	"github.com/kcfg-go/kcfg/internal/connpatch"
	"github.com/kcfg-go/kcfg/internal/topicstore"
	"github.com/kcfg-go/kcfg/internal/transport"
	"github.com/kcfg-go/kcfg/pushconfig"
)

// Plugin adds the library to a client that other code makes: pass Opts to
// kgo.NewClient, kgo.NewGroupTransactSession, or a framework.
//
//	p := client.NewPlugin()
//	session, err := kgo.NewGroupTransactSession(append(p.Opts(), opts...)...)
//
// A Plugin is for one client. Its goroutine ends when that client is closed.
type Plugin struct {
	cfg      *config
	instance string
	since    time.Time
	dialer   *dialer
	conns    *connpatch.Manager
	versions *kversion.Versions

	err   error // what is wrong with the options
	names error // what is wrong with the names among the kgo options; set by attach

	stopOnce sync.Once

	// updates is held while kgo and source are told of a change, so that they are told
	// of two at once in the same order.
	updates sync.Mutex

	mu      sync.Mutex
	checked bool        // the kgo options were judged before the client was made
	cl      *kgo.Client // the client of this plugin, nil until it exists
	source  *configdef.Source
	rpc     *transport.RPC
	topics  *topicstore.Store  // nil unless they were chosen
	push    *pushconfig.Pusher // nil if push is off
	off     string             // why it is
	dyn     *dynconfig.Poller  // nil if dynamic configs are off
	dynOff  string             // why they are

	// The fetch limits that the client was built with: two options that only
	// OnNewClient can read.
	builtMax, builtPartitionMax int32

	warnings []string
	told     map[string]bool // keys about which a line was logged
}

// NewPlugin returns a Plugin. If something is wrong with the options, Err says
// what, and the Plugin does nothing.
func NewPlugin(opts ...Option) *Plugin {
	cfg, err := newConfig(opts)
	p := &Plugin{
		cfg:      cfg,
		instance: newInstanceID(),
		since:    time.Now().UTC().Truncate(time.Millisecond),
		dialer:   newDialer(cfg.dialer, cfg.tls),
		err:      err,
		told:     make(map[string]bool),
	}
	if err != nil {
		cfg.proto = kcfg.DefaultProtocol() // the given one may be what is wrong
	}
	p.versions = ownVersions(cfg.versions, cfg.proto)
	if err != nil {
		p.dialer.refuse(err)
	}
	p.conns = connpatch.NewManager(cfg.proto, p.dialer.Dial, p.changed)
	p.conns.OnCorrupt(func() { p.warn(corruptWarning) })
	return p
}

// Err returns all that is wrong with the options that NewPlugin got, joined, and
// nil if nothing is. New returns the same error.
func (p *Plugin) Err() error { return p.err }

// Opts returns the kgo options that add the library to a client. Put them before
// your own, which must hold none of kgo.Dialer, kgo.DialTLSConfig, kgo.DialTLS
// and kgo.MaxVersions: use the options of this package instead.
//
// With kgo.DialTLSConfig or kgo.DialTLS kgo refuses to make the client. Of two
// dialers it takes the last: if that is ours, no connection is made and every
// request fails with an *OptionConflictError; if it is yours, the client works,
// but with neither the library nor what Dialer and DialTLSConfig of this package
// were given, TLS included. With kgo.MaxVersions yours is taken and nothing is
// pushed. In each case Status and one log line say so.
func (p *Plugin) Opts() []kgo.Opt {
	return []kgo.Opt{
		ownOpt{kgo.Dialer(p.conns.Dial)},
		ownOpt{kgo.MaxVersions(p.versions)},
		ownOpt{kgo.WithHooks(&kgoHooks{p})},
	}
}

// ownOpt is an option of this library. The type tells it from the application's
// among the options of a client.
type ownOpt struct{ kgo.Opt }

// foreign returns the options that are not this library's.
func foreign(opts []kgo.Opt) []kgo.Opt {
	out := make([]kgo.Opt, 0, len(opts))
	for _, o := range opts {
		if _, own := o.(ownOpt); !own {
			out = append(out, o)
		}
	}
	return out
}

// ownVersions returns a copy of the application's versions, kgo's default if it
// has none, with our keys added. The copy is never written to again: kgo reads
// it from many goroutines without a lock, and the application's own may be
// shared between clients.
func ownVersions(v *kversion.Versions, proto kcfg.Protocol) *kversion.Versions {
	own := new(kversion.Versions)
	if v == nil {
		own = kversion.Stable() // made anew by every call
	} else {
		v.EachMaxKeyVersion(own.SetMaxKeyVersion)
	}
	for _, k := range proto.Keys() {
		own.SetMaxKeyVersion(k, 0)
	}
	return own
}

// changed tells the Pusher that the configurations may be others now.
func (p *Plugin) changed() {
	if push := p.pusher(); push != nil {
		push.Changed()
	}
}

func (p *Plugin) pusher() *pushconfig.Pusher {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.push
}

// attach binds the plugin to its client. It runs in OnNewClient, before any
// goroutine of the client does.
func (p *Plugin) attach(cl *kgo.Client) {
	p.mu.Lock()
	if p.cl != nil {
		dyn := p.dyn
		p.mu.Unlock()
		if dyn != nil {
			dyn.Suspend("two clients on one Plugin")
		}
		p.warn("this Plugin was given to a second kgo client, whose configurations are not pushed; overrides are off for both; make one Plugin a client")
		return
	}
	p.cl = cl
	p.source = configdef.NewSource(cl)
	p.dialer.follow(cl)
	conflict := p.conflict(cl)
	if conflict != nil {
		p.dialer.refuse(conflict)
	}
	var tooLong string
	if tooLong, p.names = judgeNames(namesOf(cl), p.cfg.enforceLimits); p.names != nil {
		p.dialer.refuse(p.names)
	}
	p.builtMax = optOf[int32](cl, kgo.FetchMaxBytes)
	p.builtPartitionMax = optOf[int32](cl, kgo.FetchMaxPartitionBytes)
	p.rpc = transport.NewRPC(p.cfg.proto, p.conns, sender(cl))
	if p.cfg.places.kind != TransportRPC {
		p.topics = p.newStore(cl)
	}
	var warning string
	p.off, warning = p.whyOff(cl, conflict)
	p.dynOff = p.off
	if p.off == "" && p.cfg.noPush {
		p.off = "DisableConfigsPush"
	}
	if p.dynOff == "" && p.cfg.noDynamic {
		p.dynOff = "DisableDynamicConfigs"
	}
	if _, known := p.user(cl); p.dynOff == "" && !known && p.cfg.places.kind == TransportTopics {
		p.dynOff = noPrincipal
		warning = "no overrides are asked for: the topics need client.Principal, the name of the client's user"
	}
	if p.off == "" {
		p.push = p.newPusher(cl)
	}
	if p.dynOff == "" {
		p.dyn = p.newPoller(cl)
	}
	p.mu.Unlock()
	p.warn(warning)
	p.warn(tooLong)
}

// conflict returns what New would have refused among the application's options.
// kgo takes the last of two dialers, so that either ours or theirs is silently
// lost, and with it perhaps the TLS that one of them has.
func (p *Plugin) conflict(cl *kgo.Client) error {
	if p.checked {
		return nil
	}
	return conflicts(foreign(cl.Opts()))
}

// whyOff tells why nothing is pushed, and what to warn of. Both are empty if
// something is.
func (p *Plugin) whyOff(cl *kgo.Client, conflict error) (reason, warning string) {
	own, _ := cl.OptValue(kgo.MaxVersions).(*kversion.Versions)
	switch {
	case p.err != nil:
		return "invalid options", "the client cannot connect: " + p.err.Error()
	case conflict != nil:
		return "conflicting options", "two ways to connect, of which kgo takes the last: " + conflict.Error()
	case p.names != nil:
		return "names that are too long", "the client cannot connect: " + p.names.Error()
	case own != p.versions:
		return "kgo.MaxVersions", "nothing is pushed or overridden: kgo.MaxVersions is among the kgo options; use client.MaxVersions instead"
	}
	return "", ""
}

// bypassed switches push off for a client that makes its connections elsewhere.
func (p *Plugin) bypassed() {
	p.mu.Lock()
	push, dyn := p.push, p.dyn
	p.push, p.dyn = nil, nil
	if push != nil {
		p.off = "kgo.Dialer"
	}
	if dyn != nil {
		p.dynOff = "kgo.Dialer"
	}
	p.mu.Unlock()
	if push == nil && dyn == nil {
		return
	}
	if dyn != nil {
		dyn.Stop(fmt.Errorf("client: dynamic configs are off because of kgo.Dialer: %w", cfgerrors.ErrUnsupported))
	}
	if push != nil {
		push.Stop(fmt.Errorf("client: config push is off because of kgo.Dialer: %w", cfgerrors.ErrUnsupported))
	}
	p.warn("nothing is pushed or overridden: kgo.Dialer is among the kgo options; use client.Dialer instead")
}

// noPrincipal is why no overrides are asked for over topics.
const noPrincipal = "the missing client.Principal"

// refreshRecord is how long a client's record in the topics lasts. It ends with the
// retention of the topic, a day later.
const refreshRecord = 6 * time.Hour

func (p *Plugin) newPusher(cl *kgo.Client) *pushconfig.Pusher {
	cfg := pushconfig.Config{
		Entries:  p.entries,
		Push:     p.pushOnce,
		Connect:  cl.Ping,
		Limits:   func() pushconfig.Limits { return p.cfg.limits(p.source) },
		OnPushed: p.cfg.onPushed,
		OnFailed: p.cfg.onPushFailed,
		Log:      p.log,
	}
	if p.topics != nil {
		cfg.Besides, cfg.Refresh, cfg.Mend = p.besides, refreshRecord, true
	}
	return pushconfig.New(cl.Context(), cfg)
}

// warn notes a warning and logs it, once.
func (p *Plugin) warn(text string) {
	p.mu.Lock()
	again := text == "" || slices.Contains(p.warnings, text)
	if !again {
		p.warnings = append(p.warnings, text)
	}
	p.mu.Unlock()
	if !again {
		p.log(kgo.LogLevelWarn, "kcfg: "+text)
	}
}

// log writes to the application's logger. No lock is held: the logger may ask
// for the status.
func (p *Plugin) log(level kgo.LogLevel, msg string, keyvals ...any) {
	l := p.cfg.logger
	if l == nil {
		p.mu.Lock()
		cl := p.cl
		p.mu.Unlock()
		if cl != nil {
			l, _ = cl.OptValue(kgo.WithLogger).(kgo.Logger)
		}
	}
	if l != nil && l.Level() >= level {
		l.Log(level, msg, keyvals...)
	}
}

// String names the plugin. Its options, which may hold values that nothing may
// print, stay out of every form in which it is printed.
func (p *Plugin) String() string { return "client.Plugin(" + p.instance + ")" }

// GoString is String.
func (p *Plugin) GoString() string { return p.String() }

// Format prints String for every verb.
func (p *Plugin) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, p.String()) }
