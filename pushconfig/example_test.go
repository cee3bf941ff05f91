package pushconfig_test

import (
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/pushconfig"
)

// See what a client would tell the cluster. Nothing is sent and nothing is
// dialed.
func ExampleCollect() {
	cl, err := kgo.NewClient(
		kgo.ShareGroup("orders"),
		kgo.ClientID("orders-worker-7"),
		kgo.FetchMaxWait(250*time.Millisecond),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cl.Close()

	for _, e := range pushconfig.Collect(cl, kcfg.KindShare) {
		fmt.Printf("%s=%s (%s, default %t)\n", e.Key, e.Value, e.Type, e.IsDefault)
	}
	// Output:
	// client.id=orders-worker-7 (STRING, default false)
	// fetch.max.wait.ms=250 (INT, default false)
	// fetch.min.bytes=1 (INT, default true)
	// group.id=orders (STRING, default false)
	// max.poll.records=500 (INT, default true)
	// share.acquire.mode=batch_optimized (STRING, default true)
}
