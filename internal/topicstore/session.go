package topicstore

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
	"github.com/twmb/franz-go/pkg/sasl"

	"github.com/kcfg-go/kcfg"
)

// Dial makes a connection, in the form of kgo.Dialer.
type Dial func(ctx context.Context, network, host string) (net.Conn, error)

// fetchVersion is the last version of Fetch that names topics. Later ones go by
// the id alone, which old message formats do not have.
const fetchVersion = 12

// session opens a client that is like the application's on the wire, and unlike
// it in all else: none of its hooks, no group, no topics, no transactional id. It
// buffers nothing between calls, because it is closed at the end of each.
func (s *Store) session() (*kgo.Client, error) {
	opts := []kgo.Opt{
		kgo.SeedBrokers(s.seeds()...),
		kgo.Dialer(s.cfg.Dial),
		kgo.SASL(slices.Clone(optOf[[]sasl.Mechanism](s.cl, kgo.SASL))...),
		kgo.MaxVersions(s.versions()),
		kgo.ClientID(optOf[string](s.cl, kgo.ClientID)),
		kgo.Rack(optOf[string](s.cl, kgo.Rack)),
		kgo.WithLogger(quietly{s.cfg.Log}),
		kgo.DisableClientMetrics(),
		kgo.DisableIdempotentWrite(), // which would need a right of its own before Kafka 3.0
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerBatchCompression(kgo.NoCompression()),
		kgo.ManualFlushing(), // so that an alteration is one batch
		kgo.WithHooks(announce{}),
		kgo.MetadataMinAge(250 * time.Millisecond), // a leader that moved is looked for at once
	}
	if sw := SoftwareOf(s.cl); sw.Name != "" {
		opts = append(opts, kgo.SoftwareNameAndVersion(sw.Name, sw.Version))
	}
	if d := optOf[time.Duration](s.cl, kgo.RequestTimeoutOverhead); d > 0 {
		opts = append(opts, kgo.RequestTimeoutOverhead(d))
	}
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("topicstore: %w", err)
	}
	return cl, nil
}

func (s *Store) seeds() []string {
	if s.cfg.Seeds != nil {
		return s.cfg.Seeds()
	}
	return optOf[[]string](s.cl, kgo.SeedBrokers)
}

// versions are the application's, as far as they go: what a pinned client does
// not send, this one does not either.
func (s *Store) versions() *kversion.Versions {
	own := kversion.Stable()
	if v := optOf[*kversion.Versions](s.cl, kgo.MaxVersions); v != nil {
		own = new(kversion.Versions)
		v.EachMaxKeyVersion(func(key, version int16) {
			if kmsg.RequestForKey(key) != nil {
				own.SetMaxKeyVersion(key, version)
			}
		})
	}
	fetch := kmsg.Fetch.Int16()
	if v, ok := own.LookupMaxKeyVersion(fetch); ok && v > fetchVersion {
		own.SetMaxKeyVersion(fetch, fetchVersion)
	}
	return own
}

// SoftwareOf returns what a client says in ApiVersions that it is made with.
func SoftwareOf(cl *kgo.Client) kcfg.Software {
	var s kcfg.Software
	if vs := cl.OptValues(kgo.SoftwareNameAndVersion); len(vs) == 2 {
		s.Name, _ = vs[0].(string)
		s.Version, _ = vs[1].(string)
	}
	return s
}

// optOf returns an option of a client, the zero value if a kgo that we do not
// know has it as another type.
func optOf[T any](cl *kgo.Client, opt any) T {
	var v T
	if vs := cl.OptValues(opt); len(vs) > 0 {
		v, _ = vs[0].(T)
	}
	return v
}

// quietly logs what a session has to say at debug: what becomes of it is told by
// the one who called.
type quietly struct {
	log func(level kgo.LogLevel, msg string, keyvals ...any)
}

// Level makes kgo say everything; whether it is shown the logger decides.
func (quietly) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (q quietly) Log(_ kgo.LogLevel, msg string, keyvals ...any) {
	if q.log != nil {
		q.log(kgo.LogLevelDebug, "kcfg: topics: "+msg, keyvals...)
	}
}
