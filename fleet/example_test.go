package fleet_test

import (
	"fmt"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/fleet"
)

func ExampleFindDrift() {
	records := []kcfg.ClientRecord{ // of client.Admin.Clients
		{Instance: "0b1f", ClientID: "orders", Configs: []kcfg.ClientConfig{{Key: "acks", Value: "all", Type: "STRING", Default: true}}},
		{Instance: "1c9d", ClientID: "orders", Configs: []kcfg.ClientConfig{{Key: "acks", Value: "1", Type: "STRING"}}},
		{Instance: "93a1", ClientID: "orders", Configs: []kcfg.ClientConfig{{Key: "acks", Value: "all", Type: "STRING", Default: true}}},
	}
	for _, g := range fleet.FindDrift(records, fleet.DriftOptions{}).Groups {
		for _, k := range g.Keys {
			for _, v := range k.Values {
				fmt.Printf("%s: %d of %d clients have %s=%s, such as %s\n", g.Name, v.Clients, k.Clients, k.Key, v.Value, v.Instances[0])
			}
		}
	}
	// Output:
	// orders: 2 of 3 clients have acks=all, such as 0b1f
	// orders: 1 of 3 clients have acks=1, such as 1c9d
}

func ExampleQuery() {
	records := []kcfg.ClientRecord{ // of client.Admin.Clients
		{Instance: "0b1f", ClientID: "orders", Dynamic: []kcfg.KeyState{{Key: "acks", State: kcfg.OverrideApplied}}},
		{Instance: "1c9d", ClientID: "orders", Dynamic: []kcfg.KeyState{{Key: "acks", State: kcfg.OverrideRejected}}},
	}
	for _, r := range (fleet.Query{ClientID: new("orders"), State: kcfg.OverrideRejected}).Select(records) {
		fmt.Println(r.Instance, fleet.States(r))
	}
	// Output: 1c9d [{rejected 1}]
}
