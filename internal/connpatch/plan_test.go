package connpatch

import (
	"bytes"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// patching returns a connection with patches.
func patching(t *testing.T, ps *Patches, inner net.Conn) *Conn {
	t.Helper()
	c := connect(t, inner)
	c.m.SetPatches(ps)
	t.Cleanup(c.watcher.Wait)
	return c
}

// plainProduce returns the frame of a Produce request with so many bytes of
// records.
func plainProduce(version int16, corr int32, acks int16, size int) []byte {
	return encode(produceRequest(version, acks, batch(2, -1, size)), corr, new("test"))
}

func below(c *Conn) []byte { return c.NetConn().(*script).wrote.Bytes() }

func sentAcks(t *testing.T, frame []byte) int16 {
	t.Helper()
	got := kmsg.NewPtrProduceRequest()
	decodeRequest(t, frame, got)
	return got.Acks
}

func TestAPatchedWriteChangesACopy(t *testing.T) {
	for _, size := range []int{100, maxScratch - 200, maxScratch, maxScratch + 1, 100_000} {
		for v := int16(3); v <= newestProduce; v++ {
			for _, from := range []int16{1, -1} {
				frame := plainProduce(v, 0, from, size)
				before := bytes.Clone(frame)
				c := patching(t, &Patches{Acks: new(-from)}, new(script))
				write(t, c, frame)
				assert.Equal(t, before, frame, "the caller's slice")
				f, _ := findProduce(v, frame)
				onlyChanged(t, frame, below(c), f.acksAt, 2)
				assert.Equal(t, -from, sentAcks(t, below(c)))
				assert.Equal(t, new(-from), c.m.Observe().Acks)
			}
		}
	}
}

func TestAPatchedPairAllocatesNothing(t *testing.T) {
	for _, size := range []int{100, 100_000} {
		c := patching(t, &Patches{Acks: new(int16(1)), ProduceTimeout: new(int32(5))}, newEcho(60))
		p := newPair(c, plainProduce(9, 0, -1, size), 60)
		assert.Less(t, testing.AllocsPerRun(1000, p.run), 1.0)
		require.NoError(t, p.failed)
		assert.Equal(t, new(int16(1)), c.m.Observe().Acks)
	}
}

func TestAPatchedWriteIsSummedUp(t *testing.T) {
	here, there := net.Pipe()
	c := patching(t, &Patches{Acks: new(int16(1))}, here)
	frame := plainProduce(9, 0, -1, 100_000)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := io.ReadFull(there, make([]byte, maxScratch+1000))
		assert.NoError(t, err)
		assert.NoError(t, there.Close())
	}()
	n, err := c.Write(frame)
	<-done
	require.ErrorIs(t, err, io.ErrClosedPipe)
	assert.Equal(t, maxScratch+1000, n)
	assert.Nil(t, c.m.Observe().Acks, "it did not leave")
}

func TestOnlyWholeFramesArePatched(t *testing.T) {
	one, two := plainProduce(9, 0, -1, 100), plainProduce(9, 1, -1, 100)
	stream := slices.Concat(one, two)
	for _, cut := range []int{1, headerLen, len(one) - 1, len(one) + 1, len(stream)} {
		c := patching(t, &Patches{Acks: new(int16(0))}, new(script))
		write(t, c, stream[:cut])
		write(t, c, stream[cut:])
		assert.Equal(t, stream, below(c), "cut at %d", cut)
		assert.Equal(t, 2, c.waiting.len())
		assert.True(t, c.waiting.awaits(0))
		assert.True(t, c.waiting.awaits(1))
	}
	c := patching(t, &Patches{Acks: new(int16(1))}, new(script))
	write(t, c, one)
	write(t, c, two)
	assert.EqualValues(t, 1, sentAcks(t, below(c)[:len(one)]))
	assert.EqualValues(t, 1, sentAcks(t, below(c)[len(one):]))
}

func TestAFrameThatMayNotBePatchedPasses(t *testing.T) {
	newer := plainProduce(9, 0, 1, 100)
	newer[7] = newestProduce + 1
	longID := encode(produceRequest(9, 1, batch(2, -1, 0)), 0, repeated(maxScratch))
	for name, frame := range map[string][]byte{
		"acks 0":             plainProduce(9, 0, 0, 100),
		"acks 2":             plainProduce(9, 0, 2, 100),
		"a producer id":      encode(produceRequest(9, 1, batch(2, 1, 0)), 0, nil),
		"a transaction":      produce(9, 0, nil, new("id"), 1),
		"another connection": plainProduce(9, 7, 1, 100),
		"newer":              newer,
		"acks far behind":    longID,
	} {
		for _, to := range []int16{-1, 0, 2, -2} {
			c := patching(t, &Patches{Acks: new(to)}, new(script))
			write(t, c, frame)
			assert.Equal(t, frame, below(c), name)
			assert.False(t, c.zero, name)
		}
	}
}

func TestNewerVersionsAreNotedIfTheyShouldHaveBeenPatched(t *testing.T) {
	all := &Patches{
		Acks: new(int16(1)), SessionTimeout: new(int32(1)), HeartbeatInterval: new(int32(1)), FetchMaxWait: new(int32(1)),
	}
	newest := map[int16]int16{
		keyProduce: newestProduce, keyFetch: newestFetch, keyJoinGroup: newestJoinGroup,
		keyHeartbeat: newestHeartbeat, keySyncGroup: newestSyncGroup,
	}
	for key, v := range newest {
		frame := encodeKey(key, v, 0)
		frame[7]++
		for _, ps := range []*Patches{nil, {}, all} {
			c := patching(t, ps, new(script))
			write(t, c, frame)
			assert.Equal(t, frame, below(c))
			if ps == all {
				assert.Equal(t, map[int16]int16{key: v + 1}, c.m.Observe().Newer)
			} else {
				assert.Empty(t, c.m.Observe().Newer)
			}
		}
	}
}

func TestObservationsAreToldWithNoLockHeld(t *testing.T) {
	c := connect(t, new(script))
	told := 0
	c.m.OnObserve(func() {
		told++
		c.m.Counts()
		c.m.Target(902)
		c.m.Observe()
		c.m.SetPatches(&Patches{SessionTimeout: new(int32(told))})
		c.learned(0)
	})
	write(t, c, plainProduce(9, 0, 1, 100))
	write(t, c, plainProduce(9, 1, 1, 100))
	assert.Equal(t, 1, told, "only what is new is told")
	write(t, c, encodeKey(keyFetch, 12, 2))
	write(t, c, encode(joinRequest(5, 1000, "group", ""), 3, nil))
	assert.Equal(t, 3, told)
	assert.True(t, c.m.Observe().ClassicGroup)
}

// The overrides are gone with the manager.
func TestAClosedManagerPatchesNothing(t *testing.T) {
	c := patching(t, &Patches{Acks: new(int16(0))}, new(script))
	c.m.Close()
	c.m.Close()
	c.m.SetPatches(&Patches{Acks: new(int16(0))})
	frame := plainProduce(9, 0, 1, 100)
	write(t, c, frame)
	assert.Equal(t, frame, below(c))
}

func readAll(t *testing.T, c *Conn, sizes ...int) []byte {
	t.Helper()
	var got []byte
	for i := 0; ; i++ {
		p := make([]byte, sizes[i%len(sizes)])
		n, err := c.Read(p)
		got = append(got, p[:n]...)
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return got
		}
	}
}

func TestLocalAnswersComeInTheOrderOfTheRequests(t *testing.T) {
	c := connect(t, whole(answer(0, 1, 2, 3), answer(2, 4, 5), answer(4, 6)))
	for corr := range int32(5) {
		if corr%2 == 0 {
			write(t, c, encodeKey(metadata, 9, corr))
			continue
		}
		c.m.SetPatches(&Patches{Acks: new(int16(0))})
		write(t, c, plainProduce(9, corr, 1, 100))
	}
	var want []byte
	for corr := range int32(5) {
		if corr%2 == 0 {
			want = append(want, answer(corr, [][]byte{{1, 2, 3}, nil, {4, 5}, nil, {6}}[corr]...)...)
			continue
		}
		local, ok := walkProduce(9, plainProduce(9, corr, 1, 100), true)
		require.True(t, ok)
		want = append(want, local...)
	}
	assert.Equal(t, want, readAll(t, c, 1, 7, 100))
	assert.Zero(t, c.waiting.len())
	assert.Zero(t, c.m.Counts().Unmatched)
	c.watcher.Wait()
}

func TestALocalAnswerNeedsNoConnection(t *testing.T) {
	c := patching(t, &Patches{Acks: new(int16(0))}, new(script)) // any Read fails
	c.gone = true                                                // no watcher
	write(t, c, plainProduce(9, 0, 1, 100))
	want, _ := walkProduce(9, plainProduce(9, 0, 1, 100), true)
	got := make([]byte, len(want))
	_, err := io.ReadFull(c, got)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Empty(t, c.NetConn().(*script).reads)
}

// Event Hubs answers them.
func TestBrokerAnswersToWhatWasAnsweredHereAreDropped(t *testing.T) {
	for _, sizes := range [][]int{nil, {1}, {3, 50}} {
		stream := slices.Concat(answer(0, make([]byte, 3000)...), answer(1), answer(2, 9, 9), answer(3, 7))
		c := connect(t, split(stream, sizes, io.EOF))
		c.m.SetPatches(&Patches{Acks: new(int16(0))})
		c.gone = true // no watcher
		write(t, c, plainProduce(9, 0, 1, 100))
		write(t, c, plainProduce(9, 1, 1, 100))
		c.m.SetPatches(nil)
		write(t, c, plainProduce(9, 2, 1, 100))
		write(t, c, plainProduce(9, 3, 1, 100))
		a, _ := walkProduce(9, plainProduce(9, 0, 1, 100), true)
		b, _ := walkProduce(9, plainProduce(9, 1, 1, 100), true)
		want := slices.Concat(a, b, answer(2, 9, 9), answer(3, 7))
		assert.Equal(t, want, readAll(t, c, 100))
	}
}

func TestTheWatcherDropsWhatNobodyWantsAndLeavesTheRest(t *testing.T) {
	here, there := net.Pipe()
	c := patching(t, &Patches{Acks: new(int16(0))}, here)
	go func() { _, _ = io.Copy(io.Discard, there) }()
	write(t, c, plainProduce(9, 0, 1, 100))
	write(t, c, plainProduce(9, 1, 1, 100))
	for corr := range int32(2) { // a pipe takes no byte that nobody reads
		_, err := there.Write(answer(corr, make([]byte, 5000)...))
		require.NoError(t, err)
	}
	c.m.SetPatches(nil)
	write(t, c, plainProduce(9, 2, 1, 100))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := there.Write(answer(2, 7))
		assert.NoError(t, err)
	}()
	c.watcher.Wait()
	a, _ := walkProduce(9, plainProduce(9, 0, 1, 100), true)
	got := make([]byte, 2*len(a)+len(answer(2, 7)))
	_, err := io.ReadFull(c, got)
	require.NoError(t, err)
	<-done
	assert.Equal(t, answer(2, 7), got[2*len(a):])
	require.NoError(t, c.Close())
	require.NoError(t, there.Close())
}

func TestTheWatcherClosesAConnectionThatEnded(t *testing.T) {
	here, there := net.Pipe()
	c := patching(t, &Patches{Acks: new(int16(0))}, here)
	go func() { _, _ = io.CopyN(io.Discard, there, int64(len(plainProduce(9, 0, 1, 100)))); _ = there.Close() }()
	write(t, c, plainProduce(9, 0, 1, 100))
	<-c.closed
	c.watcher.Wait()
	_, err := c.Write(plainProduce(9, 1, 1, 100))
	require.Error(t, err)
	local := make([]byte, 4096)
	_, err = c.Read(local)
	require.NoError(t, err, "what was answered stays answered")
	require.NoError(t, c.Close())
}

func TestTheWatcherEndsWithTheConnection(t *testing.T) {
	here, there := net.Pipe()
	c := patching(t, &Patches{Acks: new(int16(0))}, here)
	go func() { _, _ = io.Copy(io.Discard, there) }()
	write(t, c, plainProduce(9, 0, 1, 100))
	require.NoError(t, c.Close()) // waits for it
	assert.False(t, c.watched)
	require.NoError(t, there.Close())
}

// The deadline of a Read frees the connection from the watcher.
func TestADeadlineEndsTheWatcher(t *testing.T) {
	here, there := net.Pipe()
	c := patching(t, &Patches{Acks: new(int16(0))}, here)
	go func() { _, _ = io.Copy(io.Discard, there) }()
	write(t, c, plainProduce(9, 0, 1, 100))
	_, err := c.Read(make([]byte, 4096)) // the local answer
	require.NoError(t, err)
	write(t, c, encodeKey(metadata, 9, 1))
	require.NoError(t, c.SetReadDeadline(time.Now().Add(10*time.Millisecond)))
	_, err = c.Read(make([]byte, 10))
	assert.True(t, isTimeout(err), "%v", err)
	require.NoError(t, c.Close())
	require.NoError(t, there.Close())
}
