package client

import (
	"crypto/rand"
	"fmt"
)

// newInstanceID returns a random UUID (version 4), in Kafka's role of
// ClientInstanceId (KIP-1324, KIP-714).
func newInstanceID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the process where it would
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
