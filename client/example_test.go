package client_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
	"github.com/kcfg-go/kcfg/sensitive"
)

// broker is the reference broker, which stands for your cluster here.
func broker(opts ...fakebroker.Option) *fakebroker.Cluster {
	b, err := fakebroker.New(append(opts,
		fakebroker.Policy(&fakebroker.RecordPolicy{}),
		fakebroker.Topics(1, "orders"),
	)...)
	if err != nil {
		log.Fatal(err)
	}
	return b
}

// With TLS: DialTLSConfig of this package stands for kgo's. Everything else is
// as with kgo.NewClient.
func Example() {
	cl, err := client.NewProducer(
		[]kgo.Opt{ // kgo's own options
			kgo.SeedBrokers("localhost:9093"),
			kgo.ClientID("orders-api"),
			kgo.DefaultProduceTopic("orders"),
		},
		client.DialTLSConfig(&tls.Config{MinVersion: tls.VersionTLS12}), // for kgo.DialTLSConfig
	)
	if err != nil {
		log.Fatal(err)
	}
	defer cl.Close()

	// cl embeds a *kgo.Client. What it is configured with is pushed meanwhile.
	err = cl.ProduceSync(context.Background(), kgo.StringRecord("an order")).FirstErr()
	if err != nil {
		log.Print(err)
	}
}

func ExampleNewProducer() {
	b := broker()
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	cl, err := client.NewProducer([]kgo.Opt{
		kgo.SeedBrokers(b.Addrs()...),
		kgo.ClientID("orders-api"),
		kgo.DefaultProduceTopic("orders"),
		kgo.ProducerLinger(5 * time.Millisecond),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()
	if err := cl.ProduceSync(ctx, kgo.StringRecord("an order")).FirstErr(); err != nil {
		fmt.Println(err)
		return
	}

	// Only who wants to know the outcome waits for it.
	if err := cl.PushConfig(ctx); err != nil {
		fmt.Println(err)
		return
	}
	configs := b.Pushes()[0].Configs
	for _, key := range []string{"acks", "client.id", "linger.ms"} {
		e, _ := configs.Get(key)
		fmt.Printf("%s=%v (%s, default %t)\n", e.Key, e.Value, e.Type, e.IsDefault)
	}
	// Output:
	// acks=all (STRING, default true)
	// client.id=orders-api (STRING, default false)
	// linger.ms=5 (LONG, default false)
}

func ExampleNewConsumer() {
	b := broker()
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	cl, err := client.NewConsumer([]kgo.Opt{
		kgo.SeedBrokers(b.Addrs()...),
		kgo.ConsumerGroup("orders-readers"),
		kgo.ConsumeTopics("orders"),
		kgo.SessionTimeout(30 * time.Second),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()
	if err := cl.PushConfig(ctx); err != nil {
		fmt.Println(err)
		return
	}
	configs := b.Pushes()[0].Configs
	for _, key := range []string{"group.id", "heartbeat.interval.ms", "session.timeout.ms"} {
		e, _ := configs.Get(key)
		fmt.Printf("%s=%v (%s, default %t)\n", e.Key, e.Value, e.Type, e.IsDefault)
	}
	// Output:
	// group.id=orders-readers (STRING, default false)
	// heartbeat.interval.ms=3000 (INT, default true)
	// session.timeout.ms=30000 (INT, default false)
}

// Where other code makes the client, it gets the plugin's options besides yours.
func ExampleNewPlugin() {
	b := broker()
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	plugin := client.NewPlugin()
	session, err := kgo.NewGroupTransactSession(append(plugin.Opts(), // before your own
		kgo.SeedBrokers(b.Addrs()...),
		kgo.ConsumerGroup("clerks"),
		kgo.ConsumeTopics("orders"),
		kgo.TransactionalID("orders-clerk-1"),
	)...)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	if err := plugin.PushConfig(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(plugin.Status().Kinds)
	// Output:
	// producer,consumer
}

// An application adds what kgo does not know. Secrets stay, whatever they are
// called and whoever names them.
func ExampleExtraConfig() {
	b := broker()
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	cl, err := client.NewProducer(
		[]kgo.Opt{kgo.SeedBrokers(b.Addrs()...)},
		client.ExtraConfig("orders.release", "1.4.2", sensitive.String),
		client.ExtraConfig("orders.api.key", "wonder", sensitive.String),
		client.ExtraConfig("orders.db", "postgres://alice:wonder@db/orders", sensitive.String),
		client.ExtraConfig("ssl.key.password", "wonder", sensitive.Password),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()
	if err := cl.PushConfig(ctx); err != nil {
		fmt.Println(err)
		return
	}
	release, _ := b.Pushes()[0].Configs.Get("orders.release")
	fmt.Println("pushed:", release.Key, release.Value)
	for _, h := range cl.Status().HeldBack {
		fmt.Printf("held back: %s: %s\n", h.Key, h.Reason)
	}
	// Output:
	// pushed: orders.release 1.4.2
	// held back: orders.api.key: key contains a word for a secret
	// held back: orders.db: value looks like a credential
	// held back: ssl.key.password: key starts with sasl., security. or ssl.
}

// Errors are told apart by their type.
func ExampleClient_PushConfig() {
	b := broker(fakebroker.MaxBytes(100))
	defer b.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	cl, err := client.NewProducer([]kgo.Opt{kgo.SeedBrokers(b.Addrs()...)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()

	err = cl.PushConfig(ctx)
	switch _, tooLarge := errors.AsType[*cfgerrors.ConfigTooLargeError](err); {
	case err == nil:
		fmt.Println("the cluster has the configuration")
	case errors.Is(err, cfgerrors.ErrUnsupported):
		fmt.Println("this cluster does not support it")
	case tooLarge:
		fmt.Println("push fewer keys, or raise client.configs.max.bytes")
	default:
		fmt.Println("later perhaps:", cfgerrors.Retriable(err))
	}
	fmt.Println(cl.Status().Push.State)
	// Output:
	// push fewer keys, or raise client.configs.max.bytes
	// failed
}

// logHook logs what becomes of pushes.
type logHook struct{ lines chan string }

func (h logHook) OnPushed(_ context.Context, ev kcfg.Pushed) {
	h.lines <- fmt.Sprintf("pushed %d keys", len(ev.Configs))
}

func (h logHook) OnPushFailed(_ context.Context, ev kcfg.PushFailure) {
	h.lines <- fmt.Sprintf("not pushed: %v", ev.Err)
}

func ExampleWithHooks() {
	b := broker()
	defer b.Close()

	hook := logHook{lines: make(chan string, 1)}
	cl, err := client.NewProducer(
		[]kgo.Opt{kgo.SeedBrokers(b.Addrs()...)},
		client.WithHooks(hook),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()
	if err := cl.Ping(context.Background()); err != nil { // the first connection
		fmt.Println(err)
		return
	}
	fmt.Println(<-hook.lines)
	// Output:
	// pushed 20 keys
}

// An operator changes what a client does, and sees the outcome for each entity.
func ExampleAdmin_AlterClientConfigs() {
	b, err := fakebroker.New(fakebroker.DynamicConfigs())
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	cl, err := client.New([]kgo.Opt{kgo.SeedBrokers(b.Addrs()...)}, client.WithKind(kcfg.KindAdmin))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()
	ctx := context.Background()

	admin, err := client.NewAdmin(cl.Client)
	if err != nil {
		fmt.Println(err)
		return
	}
	alice := kcfg.User("alice").Client("orders-api")
	outcomes, err := admin.AlterClientConfigs(ctx, kcfg.Alter(alice, kcfg.Set("acks", "1")))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range outcomes {
		fmt.Println(o.Entity, o.Err)
	}
	// Output: <user "alice", client-id "orders-api"> <nil>
}

// Topics, brokers, groups and clients in one call, each with its own outcome.
func ExampleAdmin_AlterConfigs() {
	b, err := fakebroker.New(fakebroker.DynamicConfigs(), fakebroker.Topics(1, "orders"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	cl, err := client.New([]kgo.Opt{kgo.SeedBrokers(b.Addrs()...)}, client.WithKind(kcfg.KindAdmin))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()
	ctx := context.Background()

	rules := kcfg.AlterConfigPolicyFunc(func(_ context.Context, m kcfg.AlterConfigMetadata) error {
		if m.Resource.Type() == kcfg.ResourceTopic && m.Configs()["min.insync.replicas"] == "1" {
			return errors.New("min.insync.replicas is too low")
		}
		return nil
	})
	admin, err := client.NewAdmin(cl.Client, client.AlterPolicy(rules))
	if err != nil {
		fmt.Println(err)
		return
	}
	orders := kcfg.TopicResource("orders")
	altered, err := admin.AlterConfigs(ctx,
		kcfg.AlterConfig(orders, kcfg.SetConfig("retention.ms", "86400000"), kcfg.DeleteConfig("segment.ms")),
		kcfg.AlterConfig(kcfg.GroupResource("clerks"), kcfg.SetConfig("consumer.session.timeout.ms", "50000")),
		kcfg.AlterConfig(kcfg.BrokerResource(0), kcfg.SetConfig("broker.rack", "r2")), // read-only
		kcfg.AlterConfig(kcfg.ClientResource(kcfg.User("alice")), kcfg.SetConfig("acks", "1")))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range altered {
		_, readOnly := errors.AsType[*cfgerrors.ReadOnlyConfigError](a.Err)
		fmt.Printf("%s: made %t, read-only %t\n", a.Resource, a.Err == nil, readOnly)
	}
	described, err := admin.DescribeConfigs(ctx, orders, kcfg.BrokerResource(0))
	if err != nil {
		fmt.Println(err)
		return
	}
	retention, _ := described[0].Get("retention.ms")
	users, _ := described[1].Get("super.users")
	fmt.Println(retention)
	fmt.Println(users)
	// Output:
	// topic "orders": made true, read-only false
	// group "clerks": made true, read-only false
	// broker 0: made false, read-only true
	// clients of <user "alice">: made true, read-only false
	// retention.ms="86400000" (LONG, DYNAMIC_TOPIC_CONFIG)
	// super.users=[redacted] (LIST, STATIC_BROKER_CONFIG, read-only, sensitive)
}

// What an operator and an application need, as commands of Kafka's own tool.
func ExampleRequiredACLs() {
	for _, acl := range client.RequiredACLs(client.ACLPlan{
		Applications: []string{"User:orders"},
		Operators:    []string{"User:ops"},
		Transport:    client.TransportTopics,
		Resources:    []kcfg.Resource{kcfg.TopicResource("orders")},
	}) {
		fmt.Println(acl.Command())
	}
	// Output:
	// kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal User:ops --operation Read --topic _kcfg_clients
	// kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal User:ops --operation Read --topic _kcfg_dynamic_configs
	// kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal User:ops --operation Write --topic _kcfg_dynamic_configs
	// kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal User:ops --operation DescribeConfigs --topic orders
	// kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal User:ops --operation AlterConfigs --topic orders
	// kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal User:orders --operation Write --topic _kcfg_clients
	// kafka-acls.sh --bootstrap-server BROKERS --add --allow-principal User:orders --operation Read --topic _kcfg_dynamic_configs
}

// On brokers without the RPCs an operator makes two topics once, and applications
// choose them.
func ExampleTransport() {
	b, err := fakebroker.New() // as any Kafka: it knows nothing of this
	if err != nil {
		fmt.Println(err)
		return
	}
	defer b.Close()
	ctx := context.Background()

	ops, err := kgo.NewClient(kgo.SeedBrokers(b.Addrs()...)) // of any making
	if err != nil {
		fmt.Println(err)
		return
	}
	defer ops.Close()
	admin, err := client.NewAdmin(ops, client.Transport(client.TransportTopics))
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err := admin.SetupTopics(ctx, kcfg.TopicSetup{}); err != nil {
		fmt.Println(err)
		return
	}
	outcomes, err := admin.AlterClientConfigs(ctx, kcfg.Alter(kcfg.User("orders"), kcfg.Set("acks", "1")))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(outcomes[0].Entity, outcomes[0].Err)

	cl, err := client.NewProducer(
		[]kgo.Opt{kgo.SeedBrokers(b.Addrs()...), kgo.ClientID("orders-api")},
		client.Transport(client.TransportTopics),
		client.Principal("orders"), // who the client is for the cluster, with SASL or TLS certificates
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()
	if err := cl.RefreshConfigs(ctx); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(*cl.Status().Dynamic.Keys[0].Wished, cl.Status().Dynamic.Keys[0].State)
	// Output:
	// <user "orders"> <nil>
	// 1 not-applicable
}
