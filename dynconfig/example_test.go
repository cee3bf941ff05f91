package dynconfig_test

import (
	"fmt"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/dynconfig"
)

func ExampleValidate() {
	client := dynconfig.Static{
		Kinds:             kcfg.KindProducer | kcfg.KindConsumer,
		Acks:              dynconfig.AllAcks,
		Idempotent:        true,
		Group:             true,
		SessionTimeout:    45 * time.Second,
		HeartbeatInterval: 3 * time.Second,
	}
	accepted, verdicts := dynconfig.Validate(client, dynconfig.Rules{}, map[string]string{
		"acks":                  "1",
		"session.timeout.ms":    "12000",
		"heartbeat.interval.ms": "4000",
		"linger.ms":             "5",
	})
	fmt.Println(accepted)
	for _, v := range verdicts {
		fmt.Printf("%s: %s %q\n", v.Key, v.Outcome, v.Reason)
	}
	// Output:
	// map[heartbeat.interval.ms:4000 session.timeout.ms:12000]
	// acks: not-applicable "an idempotent producer waits for all; build the client with kgo.DisableIdempotentWrite to change that"
	// heartbeat.interval.ms: accepted ""
	// linger.ms: unsupported "it is no configuration that can be changed at run time"
	// session.timeout.ms: accepted ""
}
