package kcfg

import (
	"log/slog"
	"time"

	"github.com/kcfg-go/kcfg/sensitive"
)

// Status is what a client knows of its own configuration plane at one moment.
// It marshals to JSON and holds no configuration values but those of dynamic
// configurations, which are no secrets.
type Status struct {
	// ClientInstanceID is the random UUID of this client, as in KIP-1324. It
	// is kept for the life of the client.
	ClientInstanceID string `json:"clientInstanceId"`
	// Kinds is what the client is used as.
	Kinds Kind `json:"kinds"`
	// Transport is how the cluster is reached: "rpc", "topics", or "auto".
	Transport string `json:"transport"`
	// Push is the state of config push.
	Push PushStatus `json:"push"`
	// Dynamic is the state of dynamic configs.
	Dynamic DynamicStatus `json:"dynamic"`
	// HeldBack lists the keys that never leave the process, with the reason,
	// sorted by key.
	HeldBack []HeldBack `json:"heldBack,omitempty"`
	// Warnings lists what keeps the library from working as asked, each once,
	// such as options of the application that stand in its way.
	Warnings []string `json:"warnings,omitempty"`
	// Connections counts what passed the client's connections.
	Connections ConnectionCounts `json:"connections"`
}

// HeldBack is a key that is not sent.
type HeldBack struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

// PushState is where config push stands.
type PushState string

// The states of config push.
const (
	PushWaiting     PushState = "waiting"     // for the first connection
	PushPushing     PushState = "pushing"     // a push is under way, perhaps between two tries
	PushPushed      PushState = "pushed"      // the cluster has the current configurations
	PushNothing     PushState = "nothing"     // no key may leave the process: nothing is sent
	PushUnsupported PushState = "unsupported" // no broker seen so far speaks the RPC
	PushFailed      PushState = "failed"      // see Err
	PushDisabled    PushState = "disabled"    // by the application's options
	PushClosed      PushState = "closed"      // the client is closed
)

// PushStatus is the state of config push (KIP-1324).
type PushStatus struct {
	State PushState `json:"state"`
	// Reason explains a state that needs it, such as disabled.
	Reason string `json:"reason,omitempty"`
	// Err is why the last push failed, nil after one that did not.
	Err error `json:"-"`
	// Error is the text of Err.
	Error string `json:"error,omitempty"`
	// Keys are the keys of the last push that succeeded, sorted.
	Keys []string `json:"keys,omitempty"`
	// Node is the broker that took it, -1 if none did. Seeds have kgo's ids,
	// which are below -1.
	Node int32 `json:"node"`
	// At is when it took it, zero if none did.
	At time.Time `json:"at,omitzero"`
	// Pushes counts pushes that succeeded, Requests all requests sent.
	Pushes   int `json:"pushes"`
	Requests int `json:"requests"`
}

// ConnectionCounts counts what passed a client's connections since it was made.
type ConnectionCounts struct {
	// Open is how many of them are open now.
	Open int `json:"open"`
	// Requests counts requests written, Ours those of this library among them.
	Requests uint64 `json:"requests"`
	Ours     uint64 `json:"ours"`
	// Untracked counts frames, answers and connections that were not the Kafka
	// requests and answers expected; they passed unchanged. Tokens of old SASL
	// exchanges are such frames.
	Untracked uint64 `json:"untracked"`
	// GaveWay counts connections that were given up because a broker left a
	// request of ours unanswered while the application wanted to write.
	GaveWay uint64 `json:"gaveWay"`
	// Refused counts requests of ours that were held back in the last moment
	// because the broker had not proved to mean the RPC.
	Refused uint64 `json:"refused"`
	// Corrupt counts requests that were answered with INVALID_REQUEST instead of
	// being sent, since kgo wrote a corrupt length for a name of more than 32,767
	// bytes in them.
	Corrupt uint64 `json:"corrupt"`
}

// Pushed is the event of a push that a broker accepted.
type Pushed struct {
	// Node is the broker. Seeds have kgo's negative ids.
	Node int32
	// Configs is what was sent, sorted by key.
	Configs []sensitive.Entry
	// Requests counts the requests that it took.
	Requests int
	// Took is the time from the start of the push to the answer.
	Took time.Duration
}

// LogValue returns the event without the values. A slice of entries that is
// logged by itself goes through encoding/json in some handlers, and shows them.
func (p Pushed) LogValue() slog.Value {
	keys := make([]string, 0, len(p.Configs))
	for _, c := range p.Configs {
		keys = append(keys, c.Key)
	}
	return slog.GroupValue(
		slog.Int("node", int(p.Node)),
		slog.Any("keys", keys),
		slog.Int("requests", p.Requests),
		slog.Duration("took", p.Took),
	)
}

// PushFailure is the event of a push that ended without success.
type PushFailure struct {
	// Err is the last error; match it with errors.Is and errors.AsType.
	Err error
	// Requests counts the requests that were sent.
	Requests int
	// Took is the time from the start of the push to its end.
	Took time.Duration
}
