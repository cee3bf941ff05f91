package connpatch

import (
	"errors"
	"fmt"
	"net"
)

var (
	// ErrNotProved is what a Write of ours gets on a connection whose broker
	// did not show that it means the RPC. Nothing was written, and nothing
	// more can be: kgo closes a connection after a failed Write.
	ErrNotProved = errors.New("connpatch: the broker did not prove to mean this RPC")

	// errGaveWay is what a Write of the application gets on a connection on
	// which a request of ours stayed unanswered for too long. Nothing was
	// written, which kgo takes as a connection that broke before use: it opens
	// another one and writes there, without a retry counted or an error shown.
	// Should kgo ever not do so, it still knows net.ErrClosed as an error to
	// retry.
	errGaveWay = fmt.Errorf("connpatch: the connection gives way, since a request of ours is unanswered on it: %w", net.ErrClosed)
)
