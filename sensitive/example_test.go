package sensitive_test

import (
	"fmt"

	"github.com/kcfg-go/kcfg/sensitive"
)

// Does a key of mine leave the process?
func ExampleCheck() {
	for _, key := range []string{"session.timeout.ms", "SSL.keystore.location", "orders.apiKey"} {
		fmt.Printf("%s: %v\n", key, sensitive.Check(key, sensitive.String))
	}
	fmt.Println(sensitive.Check("orders.region", sensitive.Unknown))
	// Output:
	// session.timeout.ms: not sensitive
	// SSL.keystore.location: key starts with sasl., security. or ssl.
	// orders.apiKey: key contains a word for a secret
	// key is unknown to Kafka and has no type
}

func ExampleCheckValue() {
	fmt.Println(sensitive.CheckValue("http://registry:8081"))
	fmt.Println(sensitive.CheckValue("http://alice:wonder@registry:8081"))
	// Output:
	// not sensitive
	// value looks like a credential
}

func ExampleFilter() {
	clean, held := sensitive.Filter(
		sensitive.Entry{Key: "acks", Value: "all", Type: sensitive.String},
		sensitive.Entry{Key: "sasl.jaas.config", Value: "wonder", Type: sensitive.Password},
		sensitive.Entry{Key: "orders.proxy", Value: "http://alice:wonder@proxy", Type: sensitive.String},
	)
	for _, c := range clean {
		fmt.Println("sent:", c.Entry().Key, c.Entry().Value)
	}
	for _, h := range held {
		fmt.Println(h)
	}
	// Output:
	// sent: acks all
	// sasl.jaas.config (PASSWORD) is held back: key starts with sasl., security. or ssl.
	// orders.proxy (STRING) is held back: value looks like a credential
}

func ExampleSecret() {
	s := sensitive.NewSecret("wonder")
	fmt.Printf("%v %q %#v\n", s, s, struct{ Password sensitive.Secret }{s})
	fmt.Println(s.Reveal())
	// Output:
	// [redacted] [redacted] struct { Password sensitive.Secret }{Password:[redacted]}
	// wonder
}
