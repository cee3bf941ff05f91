// Package fleet answers questions about many clients at once: which of them run
// with which configuration, who deviates from the defaults, what differs among
// clients that should be alike, and where the operators' overrides stand.
//
// It works on what client.Admin.Clients and client.Admin.DescribeClientConfigs
// return, as data: it sends nothing, keeps nothing, and changes nothing that it is
// given. Everything is in a fixed order.
//
//	told, err := admin.Clients(ctx)
//	...
//	orders := fleet.Query{ClientID: new("orders")}.Select(told.Records)
//	for _, g := range fleet.FindDrift(orders, fleet.DriftOptions{}).Groups {
//		...
//	}
//
// # Claims
//
// A record is what a client tells of itself. Whoever may write to the topic can
// write any record, so nothing here proves what a client does, and what is found must
// not be used to grant anything. Records may be hostile: every function takes keys
// that occur twice (the first one counts), thousands of keys, and texts of any
// length. [Drift] holds a bounded number of bounded texts for each group; a
// [kcfg.ClientRecord] that Select returns is as it was. Neither is fit for a terminal
// before it is escaped.
//
// Values that look like credentials, and those of keys that should never have left
// the client, are shown as [Redacted]: see [Shown].
//
// # Own values and overrides
//
// The configurations in a record are those in force, an operator's overrides (KIP-649)
// among them, which its Dynamic part tells apart. A deviation is a value that the
// application chose, so overrides are none. Drift looks at what is in force: see
// [FindDrift].
//
// # Errors
//
// There are none, but for texts that users type: [ParseOrder] and [ParseBy].
package fleet
