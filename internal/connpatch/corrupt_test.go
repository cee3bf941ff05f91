package connpatch

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// refused returns the error codes of the answer to a corrupt frame, and the topics
// that it names. It fails unless kmsg reads the answer and writes the same one.
func refused(t require.TestingT, frame []byte) (codes []int16, topics []string) {
	h := parseHeader(frame)
	resp := kmsg.ResponseForKey(h.key)
	resp.SetVersion(h.version)
	decodeResponse(t, invalidRequest(h, frame), h.corr, resp)
	switch resp := resp.(type) {
	case *kmsg.FindCoordinatorResponse:
		return []int16{resp.ErrorCode}, nil
	case *kmsg.JoinGroupResponse:
		return []int16{resp.ErrorCode}, nil
	case *kmsg.SyncGroupResponse:
		return []int16{resp.ErrorCode}, nil
	case *kmsg.HeartbeatResponse:
		return []int16{resp.ErrorCode}, nil
	case *kmsg.LeaveGroupResponse:
		return []int16{resp.ErrorCode}, nil
	case *kmsg.OffsetCommitResponse:
		for _, topic := range resp.Topics {
			topics = append(topics, topic.Topic)
			for _, p := range topic.Partitions {
				codes = append(codes, p.ErrorCode)
			}
		}
	case *kmsg.OffsetFetchResponse:
		if h.version >= 2 {
			return []int16{resp.ErrorCode}, nil
		}
		for _, topic := range resp.Topics {
			topics = append(topics, topic.Topic)
			for _, p := range topic.Partitions {
				codes = append(codes, p.ErrorCode)
			}
		}
	}
	return codes, topics
}

func TestACorruptRequestIsAnsweredWithInvalidRequestInEveryVersion(t *testing.T) {
	for _, key := range groupKeys {
		flexible, _ := flexibleFrom(key)
		for v := range flexible {
			t.Run(fmt.Sprintf("%s v%d", kmsg.NameForKey(key), v), func(t *testing.T) {
				req, fields := groupRequest(key, v)
				for _, f := range fields {
					f.set(strings.Repeat("a", 40_000))
					frame := encode(req, 7, new("test"))
					if !isCorrupt(frame) { // not in this version
						f.set("name")
						continue
					}
					codes, topics := refused(t, frame)
					require.NotEmpty(t, codes)
					for _, c := range codes {
						assert.EqualValues(t, 42, c, f.name)
					}
					if len(topics) > 0 {
						assert.Len(t, topics, 2, f.name)
						assert.Len(t, codes, 4, f.name)
						for _, name := range topics {
							assert.Contains(t, []string{"name", strings.Repeat("a", 32_767)}, name)
						}
					}
					f.set("name")
				}
			})
		}
	}
}

// Beyond 64 KiB it cannot be told where a name ends. An answer about no partition
// would look like success, so it is none that can be read.
func TestWherePartitionsCannotBeToldTheAnswerIsAnError(t *testing.T) {
	for _, key := range []int16{keyOffsetCommit, keyOffsetFetch} {
		req, fields := groupRequest(key, 1)
		for _, n := range []int{65_536, 70_000, 200_000} {
			fields[0].set(strings.Repeat("a", n))
			frame := encode(req, 7, nil)
			require.True(t, isCorrupt(frame))
			resp := kmsg.ResponseForKey(key)
			resp.SetVersion(1)
			got := invalidRequest(parseHeader(frame), frame)
			require.Error(t, resp.ReadFrom(got[sizeLen+corrLen:]))
		}
	}
}

// Three requests in order, of which the broker sees and answers the first and the
// last.
func TestACorruptRequestDoesNotLeaveAndItsAnswerKeepsItsPlace(t *testing.T) {
	for _, key := range groupKeys {
		t.Run(kmsg.NameForKey(key), func(t *testing.T) {
			corrupted := 0
			inner := whole(answer(0, 1, 2), answer(2, 3))
			c := connect(t, inner)
			c.m.OnCorrupt(func() { corrupted++ })
			req, fields := groupRequest(key, 0)
			fields[0].set(strings.Repeat("a", 40_000))
			first, bad, last := encodeKey(3, 0, 0), encode(req, 1, new("test")), encodeKey(3, 0, 2)
			before := bytes.Clone(bad)
			for _, frame := range [][]byte{first, bad, last} {
				n, err := c.Write(frame)
				require.NoError(t, err)
				require.Equal(t, len(frame), n)
			}
			assert.Equal(t, before, bad, "the caller's slice")
			assert.Equal(t, append(first, last...), inner.wrote.Bytes())
			assert.Equal(t, 1, corrupted)
			assert.EqualValues(t, 1, c.m.Counts().Corrupt)

			got, err := io.ReadAll(c)
			require.NoError(t, err)
			want := append(answer(0, 1, 2), invalidRequest(parseHeader(bad), bad)...)
			assert.Equal(t, append(want, answer(2, 3)...), got)
			counts := c.m.Counts()
			assert.Zero(t, counts.Unmatched+counts.Strange+counts.Opaque)
			assert.Zero(t, c.waiting.len())
		})
	}
}

func TestADroppedJoinIsNoJoinAndADroppedLeaveIsOne(t *testing.T) {
	join := func(name string, corr int32) []byte { return encode(joinRequest(1, 6000, name, "member"), corr, nil) }
	c := connect(t, new(script))
	_, err := c.Write(join("group", 0))
	require.NoError(t, err)
	require.EqualValues(t, 1, c.m.group.state.seq)
	_, err = c.Write(join(strings.Repeat("a", 40_000), 1))
	require.NoError(t, err)
	assert.EqualValues(t, 1, c.m.group.state.seq, "the coordinator saw no other join")

	c.m.group.state.active = true
	req, fields := groupRequest(keyLeave, 1)
	fields[0].set(strings.Repeat("a", 40_000))
	_, err = c.Write(encode(req, 2, nil))
	require.NoError(t, err)
	assert.False(t, c.m.group.state.active, "no heartbeat of ours follows")
	assert.EqualValues(t, 2, c.m.Counts().Corrupt)
}

// A corrupt JoinGroup is not held either: there is nothing to wait for.
func TestACorruptJoinIsAnsweredWhileOthersAreHeld(t *testing.T) {
	c := connect(t, whole())
	release := make(chan struct{})
	defer close(release)
	c.m.HoldJoins(release, time.Hour)
	_, err := c.Write(encode(joinRequest(1, 6000, strings.Repeat("a", 40_000), ""), 0, nil))
	require.NoError(t, err)
	got, err := io.ReadAll(c)
	require.NoError(t, err)
	assert.NotEmpty(t, got)
	assert.Nil(t, c.held.Load())
}

func TestLargeRequestsThatAreFineAllocateNothing(t *testing.T) {
	for _, key := range groupKeys {
		flexible, _ := flexibleFrom(key)
		for v := range flexible {
			req, fields := groupRequest(key, v)
			fields[0].set(strings.Repeat("a", 32_767))
			frame := encode(req, 0, nil)
			require.Greater(t, len(frame), 32_767+sizeLen)
			assert.Zero(t, testing.AllocsPerRun(100, func() {
				if isCorrupt(frame) {
					t.Error("it is fine")
				}
			}), "%s v%d", kmsg.NameForKey(key), v)
		}
	}
}
