package connpatch

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serveFrames answers that many frames, no other one, and ends the connection
// some frames later.
func serveFrames(conn net.Conn, answers int) {
	defer conn.Close()
	for i := range answers + 6 {
		frame, err := readFrame(conn)
		if err != nil {
			return
		}
		if i >= answers {
			continue
		}
		corr := int32(frame[4])<<24 | int32(frame[5])<<16 | int32(frame[6])<<8 | int32(frame[7])
		if _, err := conn.Write(answer(corr, make([]byte, int(corr)%700)...)); err != nil {
			return
		}
	}
}

// kgo writes on one goroutine, reads on another, and closes and sets deadlines
// from anywhere. The race detector judges, and nobody may be left behind.
func TestWriteReadCloseAndDeadlinesMayMeet(t *testing.T) {
	for round := range 30 {
		below, broker := net.Pipe()
		c := connect(t, below)
		c.learned(everything)
		stopAt := 5 * round
		var wg sync.WaitGroup
		wg.Go(func() { serveFrames(broker, stopAt) })
		wg.Go(func() {
			for corr := int32(0); ; corr++ {
				key := int16(metadata)
				if corr%3 == 1 {
					key = 902
				}
				if _, err := c.Write(encodeAny(key, corr)); err != nil {
					c.Close()
					return
				}
			}
		})
		wg.Go(func() {
			_, _ = io.Copy(io.Discard, c) // until another side ends it
			c.Close()
		})
		wg.Go(func() {
			for range 20 {
				c.m.Connected(int32(round), c)
				c.m.Target(902)
				c.m.Counts()
				_ = c.SetReadDeadline(time.Now().Add(time.Minute)) // an error if it is closed
			}
			if round%2 == 0 {
				c.Close()
			}
		})
		wg.Wait()
		got := c.m.Counts()
		require.Zero(t, got.Open)
		require.Zero(t, got.Unmatched+got.Strange+got.Opaque)
	}
}
