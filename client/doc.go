// Package client makes *kgo.Clients whose cluster knows how they are configured
// (config push, KIP-1324), and which an operator can change while they run
// (dynamic configs, KIP-649).
//
// Use it like package kgo. The first argument is kgo's own options, the rest are
// options of this package, and the result embeds a *kgo.Client:
//
//	cl, err := client.NewProducer(
//		[]kgo.Opt{
//			kgo.SeedBrokers("localhost:9093"),
//			kgo.ClientID("orders-api"),
//		},
//		client.DialTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12}),
//	)
//	if err != nil {
//		return err
//	}
//	defer cl.Close()
//	err = cl.ProduceSync(ctx, record).FirstErr()
//
// [NewProducer] and [NewConsumer] say what the client is for; [New] finds out
// from its options. Where other code has to make the client, such as
// kgo.NewGroupTransactSession or a framework, [NewPlugin] gives the kgo options
// that add the library.
//
// # What an operator can change
//
// Acks, session.timeout.ms and heartbeat.interval.ms, for a user or one of its
// client ids, through [NewAdmin]. The client asks at its first connection and then
// every metadata.max.age.ms, judges what it gets (see package dynconfig for the
// rules), and applies it on its connections, so that nothing in the *kgo.Client
// changes. Status tells for each key what is wished, what is in force, and why they
// differ. [AuditOnly] and [DisableDynamicConfigs] change nothing.
//
// # Every other configuration
//
// An [Admin] describes and alters the configurations of topics, brokers, groups and
// client metrics in the same way, on any Kafka and any *kgo.Client:
// [Admin.DescribeConfigs], [Admin.AlterConfigs], [Admin.ValidateAlterConfigs]. Each
// resource has its own outcome. [AlterPolicy] sets rules that are checked before
// anything is sent, and [RequiredACLs] lists the rights that it takes.
//
// # What leaves the process
//
// After its first connection the client tells one broker the keys that describe
// its kind, such as acks and linger.ms, under Kafka's names and with the values
// that are in force: see pushconfig.Collect. [PushKeys] and [ExtraConfig] add
// others. It tells them once, and again when one of them changes.
//
// Package sensitive stands in between and cannot be switched off: keys that
// begin with sasl., security. or ssl., keys with a word for a secret in them,
// passwords, class names, values that look like a credential and whatever has no
// type stay in the process. Each such key is logged once as a warning, without
// its value, and is in Status.HeldBack. A secret under an innocent name and with
// an innocent look cannot be recognized: do not give one to ExtraConfig.
//
// # What it costs
//
// On a cluster that does not support config push, no request: whether a broker
// does is read from the ApiVersions answer that kgo asks for on every connection
// anyway. No connection is made either, and one line is logged at Info.
//
// On one that does, config push takes one request, and one goroutine as long as the
// client lives; dynamic configs take one request every metadata.max.age.ms, and one
// goroutine more. A request goes to a seed or to a broker whose connection is idle and carries
// neither group nor transaction traffic, where there is one, and never over a
// connection with such traffic. Nothing waits for the answer, but for one case:
// should the application have something to write to the same connection before the
// broker has answered, it waits up to a tenth of a second, and then kgo uses
// another connection.
//
// A push never makes the client fail. Close takes at most a second longer than
// kgo's, and that only if a hook does not end with its context.
//
// The library needs kgo.Dialer and kgo.MaxVersions for itself. Use [Dialer],
// [DialTLSConfig] and [MaxVersions] instead. New refuses kgo.Dialer,
// kgo.DialTLSConfig and kgo.DialTLS with an [*OptionConflictError] that says what
// to write. With kgo.MaxVersions the client works and pushes nothing, which it
// says in Status and in one warning.
//
// # Errors
//
// New returns mistakes in the options, all of this package's at once, and kgo's
// own errors. A push fails in silence but for one warning, a hook and the Status.
// [Client.PushConfig], and [Client.RefreshConfigs] and [Client.WaitApplied] for
// dynamic configs, are for who wants to wait for the outcome, and return
// errors:
//
//   - cfgerrors.ErrUnsupported: the cluster does not support it, or the options
//     switch it off
//   - *cfgerrors.ConfigTooLargeError, *cfgerrors.InvalidConfigError,
//     *cfgerrors.PolicyViolationError, *cfgerrors.AuthorizationError,
//     *cfgerrors.CodeError: what the broker answered
//   - cfgerrors.ErrClosed: the client was closed
//   - cfgerrors.ErrNotInstrumented: no client was made with the Plugin's Opts
//   - the cause of the context's end, or a network error, once the tries of one
//     push took longer than [PushTimeout]
//
// Match them with errors.Is and errors.AsType. Network errors and retriable codes
// are retried with backoff before they are returned, on another broker where
// there is one; all others are not. A push that failed is tried again by itself
// when the configurations change, or after an hour. A refused authorization is
// not, unless PushConfig is called.
//
// # Hooks
//
// [WithHooks] takes values that implement one of the hook interfaces. They
// run on the library's goroutine, one at a time and in order. They may block,
// which delays the next push and never the client, and must not call Close.
//
// # Concurrency
//
// All methods may be called from any goroutine at any time. Call
// [Client.UpdateFetchMaxBytes] and [Client.UpdateSeedBrokers] on the Client, not on
// the embedded *kgo.Client: otherwise the library does not know of the change.
package client
