package connpatch

import (
	"io"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// joinFrame returns the frame of a JoinGroup request.
func joinFrame(version int16, corr int32) []byte {
	return encode(joinRequest(version, 45_000, "group", "member"), corr, new("test"))
}

func joinAnswer(version int16, corr int32, code int16, generation int32) []byte {
	resp := kmsg.NewPtrJoinGroupResponse()
	resp.Version, resp.ErrorCode, resp.Generation, resp.MemberID = version, code, generation, "another"
	return respond(corr, resp.IsFlexible(), resp.AppendTo)
}

func groupAnswer(resp kmsg.Response, corr int32) []byte {
	return respond(corr, resp.IsFlexible(), resp.AppendTo)
}

func sentSession(t *testing.T, frame []byte) int32 {
	t.Helper()
	got := kmsg.NewPtrJoinGroupRequest()
	decodeRequest(t, frame, got)
	return got.SessionTimeoutMillis
}

func TestARefusedJoinIsAnsweredOtherwise(t *testing.T) {
	for v := range int16(newestJoinGroup + 1) {
		for _, sizes := range [][]int{nil, {1}, {4, 4, 3}} {
			stream := slices.Concat(joinAnswer(v, 0, codeInvalidSession, -1), joinAnswer(v, 1, 0, 5))
			inner := split(stream, sizes, io.EOF)
			c := patching(t, &Patches{SessionTimeout: new(int32(1000))}, inner)
			write(t, c, joinFrame(v, 0))
			assert.EqualValues(t, 1000, sentSession(t, below(c)))
			want := memberIDRequired(v, 0, "member")
			got := make([]byte, len(want))
			_, err := io.ReadFull(c, got)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, []int32{1000}, c.m.Observe().Refused)
			require.Nil(t, c.m.Observe().SessionTimeout)

			first := len(below(c))
			write(t, c, joinFrame(v, 1))
			assert.EqualValues(t, 45_000, sentSession(t, below(c)[first:]))
			assert.Equal(t, joinAnswer(v, 1, 0, 5), readAll(t, c, 100))
			assert.Equal(t, new(int32(45_000)), c.m.Observe().SessionTimeout)
			assert.EqualValues(t, 1, c.m.Observe().Joins)
		}
	}
}

func TestARefusalOfWhatKgoAskedForReachesKgo(t *testing.T) {
	for v := range int16(newestJoinGroup + 1) {
		for _, ps := range []*Patches{nil, {}, {SessionTimeout: new(int32(45_000))}} {
			refused := joinAnswer(v, 0, codeInvalidSession, -1)
			c := patching(t, ps, whole(refused))
			write(t, c, joinFrame(v, 0))
			assert.Equal(t, refused, readAll(t, c, 100))
			assert.Empty(t, c.m.Observe().Refused)
		}
	}
}

func TestOtherErrorsOfAJoinPass(t *testing.T) {
	for _, code := range []int16{25, 27, 79} {
		resp := joinAnswer(9, 0, code, -1)
		c := patching(t, &Patches{SessionTimeout: new(int32(1000))}, whole(resp))
		write(t, c, joinFrame(9, 0))
		assert.Equal(t, resp, readAll(t, c, 7))
		assert.Zero(t, c.m.Observe().Joins)
	}
}

func TestAnAnswerThatBreaksOffPasses(t *testing.T) {
	for _, code := range []int16{0, codeInvalidSession} {
		resp := joinAnswer(9, 0, code, 3)
		for n := range 20 {
			c := patching(t, &Patches{SessionTimeout: new(int32(1000))}, whole(resp[:n]))
			write(t, c, joinFrame(9, 0))
			got := readAll(t, c, 100)
			if n < 19 { // of which the code and the generation are the last
				assert.Equal(t, string(resp[:n]), string(got), "%d bytes", n)
			}
		}
	}
}
