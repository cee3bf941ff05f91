package connpatch

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"
	"pgregory.net/rapid"
)

var clientIDs = []*string{nil, new(""), new("abc"), repeated(300)}

// batch returns a record batch as far as it is looked at.
func batch(magic byte, producerID int64, size int) []byte {
	b := make([]byte, max(size, batchHeader))
	b[batchMagic] = magic
	binary.BigEndian.PutUint64(b[batchProducerID:], uint64(producerID))
	return b
}

type records = []byte

// produceRequest returns a Produce request with these records, two partitions a
// topic.
func produceRequest(version int16, acks int16, all ...records) *kmsg.ProduceRequest {
	req := kmsg.NewPtrProduceRequest()
	req.Version, req.Acks, req.TimeoutMillis = version, acks, 10_000
	for i, r := range all {
		if i%2 == 0 {
			topic := kmsg.NewProduceRequestTopic()
			topic.Topic, topic.TopicID = fmt.Sprint("topic", i), [16]byte{byte(i), 1}
			req.Topics = append(req.Topics, topic)
		}
		p := kmsg.NewProduceRequestTopicPartition()
		p.Partition, p.Records = int32(i), r
		last := &req.Topics[len(req.Topics)-1]
		last.Partitions = append(last.Partitions, p)
	}
	return req
}

// decodeRequest reads a frame back with kmsg.
func decodeRequest(t require.TestingT, frame []byte, into kmsg.Request) {
	h := parseHeader(frame)
	require.EqualValues(t, len(frame)-4, h.size)
	into.SetVersion(h.version)
	at, v := bodyOffset(frame, into.IsFlexible())
	require.Equal(t, found, v)
	require.NoError(t, into.ReadFrom(frame[at:]))
}

// decodeResponse reads the frame of a response with kmsg and fails unless kmsg
// writes the same one.
func decodeResponse(t require.TestingT, frame []byte, corr int32, into kmsg.Response) {
	require.EqualValues(t, len(frame)-4, binary.BigEndian.Uint32(frame))
	require.EqualValues(t, corr, binary.BigEndian.Uint32(frame[4:]))
	body := frame[8:]
	if into.IsFlexible() {
		require.Zero(t, body[0])
		body = body[1:]
	}
	require.NoError(t, into.ReadFrom(body))
	require.Equal(t, into.AppendTo(nil), body)
}

// onlyChanged fails unless two frames are the same but for some bytes.
func onlyChanged(t require.TestingT, before, after []byte, at, width int) {
	require.Len(t, after, len(before))
	require.Equal(t, before[:at], after[:at])
	require.Equal(t, before[at+width:], after[at+width:])
}

func patched(frame []byte, e edit) []byte {
	b := bytes.Clone(frame)
	e.apply(b)
	return b
}

// everyVersion yields every version that kmsg can encode with every client id.
func everyVersion(key int16) iter.Seq2[int16, *string] {
	return func(yield func(int16, *string) bool) {
		for v := range kmsg.RequestForKey(key).MaxVersion() + 1 {
			for _, id := range clientIDs {
				if !yield(v, id) {
					return
				}
			}
		}
	}
}

func caseName(v int16, id *string) string { return fmt.Sprintf("v%d, client id %s", v, describe(id)) }

func TestProduceFieldsAreFound(t *testing.T) {
	for v, id := range everyVersion(keyProduce) {
		t.Run(caseName(v, id), func(t *testing.T) {
			for _, txn := range []*string{nil, new(""), new("transaction")} {
				req := produceRequest(v, -1, batch(2, -1, 0), batch(2, -1, 40_000))
				req.TransactionID = txn
				frame := encode(req, 7, id)
				f, ok := findProduce(v, frame)
				require.True(t, ok)
				assert.EqualValues(t, -1, f.acks)
				assert.EqualValues(t, 10_000, f.timeout)
				assert.Equal(t, v >= produceTxn && txn != nil, f.txn)

				after := patched(patched(frame, edit{f.acksAt, 2, 1}), edit{f.timeoutAt, 4, 1234})
				onlyChanged(t, frame, after, f.acksAt, 6)
				got := kmsg.NewPtrProduceRequest()
				decodeRequest(t, after, got)
				assert.EqualValues(t, 1, got.Acks)
				assert.EqualValues(t, 1234, got.TimeoutMillis)
			}
		})
	}
}

func TestFetchFieldsAreFound(t *testing.T) {
	for v, id := range everyVersion(keyFetch) {
		t.Run(caseName(v, id), func(t *testing.T) {
			req := kmsg.NewPtrFetchRequest()
			req.Version, req.MaxWaitMillis, req.MinBytes, req.MaxBytes = v, 500, 1, 1<<20
			req.Topics = append(req.Topics, kmsg.NewFetchRequestTopic())
			frame := encode(req, 7, id)
			f, ok := findFetch(v, frame)
			require.True(t, ok)
			assert.EqualValues(t, 500, f.maxWait)
			assert.EqualValues(t, 1, f.minBytes)

			after := patched(patched(frame, edit{f.maxWaitAt, 4, 77}), edit{f.minBytesAt, 4, 99})
			onlyChanged(t, frame, after, f.maxWaitAt, 8)
			got := kmsg.NewPtrFetchRequest()
			decodeRequest(t, after, got)
			assert.EqualValues(t, 77, got.MaxWaitMillis)
			assert.EqualValues(t, 99, got.MinBytes)
		})
	}
}

// joinRequest returns a JoinGroup request.
func joinRequest(version int16, session int32, group, member string) *kmsg.JoinGroupRequest {
	req := kmsg.NewPtrJoinGroupRequest()
	req.Version, req.Group, req.MemberID, req.SessionTimeoutMillis = version, group, member, session
	req.RebalanceTimeoutMillis = 60_000
	req.InstanceID = new("instance")
	req.ProtocolType = "consumer"
	p := kmsg.NewJoinGroupRequestProtocol()
	p.Name, p.Metadata = "range", []byte("metadata")
	req.Protocols = append(req.Protocols, p)
	return req
}

func TestJoinFieldsAreFound(t *testing.T) {
	for v, id := range everyVersion(keyJoinGroup) {
		t.Run(caseName(v, id), func(t *testing.T) {
			for _, group := range []string{"g", *repeated(126), *repeated(127), *repeated(300)} {
				for _, member := range []string{"", "member", *repeated(200)} {
					frame := encode(joinRequest(v, 45_000, group, member), 7, id)
					f, ok := findJoin(v, frame)
					require.True(t, ok)
					assert.EqualValues(t, 45_000, f.session)
					assert.Equal(t, member, f.member)

					after := patched(frame, edit{f.sessionAt, 4, 6000})
					onlyChanged(t, frame, after, f.sessionAt, 4)
					got := kmsg.NewPtrJoinGroupRequest()
					decodeRequest(t, after, got)
					assert.EqualValues(t, 6000, got.SessionTimeoutMillis)
				}
			}
		})
	}
}

func TestAcksAreChangedForPlainBatchesOnly(t *testing.T) {
	plain := batch(2, -1, 0)
	for name, tc := range map[string]struct {
		all  []records
		want bool
	}{
		"one":                           {[]records{plain}, true},
		"more":                          {[]records{plain, batch(2, -1, 5000), plain}, true},
		"null":                          {[]records{nil, plain}, true},
		"none":                          {nil, true},
		"a producer id":                 {[]records{batch(2, 0, 0)}, false},
		"a producer id further on":      {[]records{plain, plain, batch(2, 4711, 0)}, false},
		"magic 1":                       {[]records{batch(1, -1, 0)}, false},
		"magic 0 further on":            {[]records{plain, batch(0, -1, 0)}, false},
		"too short for a batch":         {[]records{plain[:60]}, false},
		"empty":                         {[]records{{}}, false},
		"a newer magic, not idempotent": {[]records{batch(3, -1, 0)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			for v := int16(3); v <= newestProduce; v++ {
				frame := encode(produceRequest(v, 1, tc.all...), 7, new("id"))
				_, ok := walkProduce(v, frame, false)
				assert.Equal(t, tc.want, ok, "v%d", v)
				resp, ok := walkProduce(v, frame, true)
				assert.Equal(t, tc.want, ok, "v%d", v)
				assert.Equal(t, tc.want, resp != nil)
			}
		})
	}
}

func TestAcksOfATransactionAreNotChanged(t *testing.T) {
	for v := int16(3); v <= newestProduce; v++ {
		req := produceRequest(v, -1, batch(2, -1, 0))
		req.TransactionID = new("")
		_, ok := walkProduce(v, encode(req, 7, nil), false)
		assert.False(t, ok)
	}
}

func TestAcksAreNotChangedUnlessTheFrameIsUnderstoodToItsEnd(t *testing.T) {
	for v := int16(0); v <= newestProduce; v++ {
		frame := encode(produceRequest(v, 1, batch(2, -1, 0), nil, batch(2, -1, 100)), 7, new("id"))
		_, ok := walkProduce(v, frame, true)
		require.True(t, ok)
		for n := range frame {
			resp, ok := walkProduce(v, frame[:n], true)
			require.False(t, ok, "v%d, %d bytes", v, n)
			require.Nil(t, resp)
		}
		_, ok = walkProduce(v, append(bytes.Clone(frame), 0), true)
		assert.False(t, ok, "v%d and one byte more", v)
	}
}

func TestProduceIsAnsweredAsByABrokerThatTookIt(t *testing.T) {
	for v, id := range everyVersion(keyProduce) {
		t.Run(caseName(v, id), func(t *testing.T) {
			req := produceRequest(v, 1, batch(2, -1, 0), nil, batch(2, -1, 40_000))
			frame := encode(req, 7, id)
			before := bytes.Clone(frame)
			b, ok := walkProduce(v, frame, true)
			require.True(t, ok)
			assert.Equal(t, before, frame)

			resp := kmsg.NewPtrProduceResponse()
			resp.Version = v
			decodeResponse(t, b, 7, resp)
			require.Len(t, resp.Topics, len(req.Topics))
			for i, topic := range resp.Topics {
				if v < produceUUID {
					assert.Equal(t, req.Topics[i].Topic, topic.Topic)
				} else {
					assert.Equal(t, req.Topics[i].TopicID, topic.TopicID)
				}
				require.Len(t, topic.Partitions, len(req.Topics[i].Partitions))
				for j, p := range topic.Partitions {
					asked := req.Topics[i].Partitions[j]
					assert.Equal(t, asked.Partition, p.Partition)
					assert.EqualValues(t, -1, p.BaseOffset)
					assert.EqualValues(t, -1, p.LogAppendTime)
					assert.EqualValues(t, -1, p.LogStartOffset)
					assert.Empty(t, p.ErrorRecords)
					assert.Nil(t, p.ErrorMessage)
					want := int16(0)
					if asked.Records == nil {
						want = codeNotLeader
					}
					assert.Equal(t, want, p.ErrorCode)
				}
			}
		})
	}
}

func TestHeartbeatIsAnsweredWithoutError(t *testing.T) {
	for v := range int16(newestHeartbeat + 1) {
		resp := kmsg.NewPtrHeartbeatResponse()
		resp.Version = v
		decodeResponse(t, heartbeatAnswer(v, 99), 99, resp)
		assert.Zero(t, resp.ErrorCode)
	}
}

func TestARefusedJoinIsAnsweredWithItsMemberID(t *testing.T) {
	for v := range int16(newestJoinGroup + 1) {
		for _, member := range []string{"", "member", *repeated(300)} {
			resp := kmsg.NewPtrJoinGroupResponse()
			resp.Version = v
			decodeResponse(t, memberIDRequired(v, 99, member), 99, resp)
			assert.EqualValues(t, codeMemberIDRequired, resp.ErrorCode)
			assert.Equal(t, member, resp.MemberID)
			assert.EqualValues(t, -1, resp.Generation)
		}
	}
}

func TestErrorCodesAreFoundInAnswers(t *testing.T) {
	for _, key := range []int16{keyJoinGroup, keySyncGroup, keyHeartbeat} {
		for v := range kmsg.RequestForKey(key).MaxVersion() + 1 {
			var resp kmsg.Response
			switch key {
			case keyJoinGroup:
				r := kmsg.NewPtrJoinGroupResponse()
				r.ErrorCode, r.Generation, r.ThrottleMillis = 0x1234, 0x567890, -1
				resp = r
			case keySyncGroup:
				r := kmsg.NewPtrSyncGroupResponse()
				r.ErrorCode, r.ThrottleMillis = 0x1234, -1
				resp = r
			default:
				r := kmsg.NewPtrHeartbeatResponse()
				r.ErrorCode, r.ThrottleMillis = 0x1234, -1
				resp = r
			}
			resp.SetVersion(v)
			frame := respond(1, resp.IsFlexible(), resp.AppendTo)
			at, ok := codeOffset(key, v)
			require.True(t, ok)
			assert.EqualValues(t, 0x1234, binary.BigEndian.Uint16(frame[at:]), "%d v%d", key, v)
			if key == keyJoinGroup {
				assert.EqualValues(t, 0x567890, binary.BigEndian.Uint32(frame[at+2:]), "v%d", v)
			}
		}
		_, ok := codeOffset(key, kmsg.RequestForKey(key).MaxVersion()+1)
		assert.False(t, ok)
	}
	_, ok := codeOffset(keyFetch, 0)
	assert.False(t, ok)
}

// Whatever the partitions hold, an answer is canonical and names all of them.
func TestAnyProduceIsAnsweredOrLeftAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Int16Range(0, newestProduce).Draw(t, "version")
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) records {
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				return nil
			case 1:
				return batch(2, rapid.Int64().Draw(t, "producer id"), 0)
			case 2:
				return rapid.SliceOfN(rapid.Byte(), 1, 100).Draw(t, "records")
			}
			return batch(2, -1, rapid.IntRange(0, 300).Draw(t, "size"))
		}), 0, 8).Draw(t, "records")
		bad := slices.ContainsFunc(all, func(r records) bool { return r != nil && !plainBatch(r) })
		b, ok := walkProduce(v, encode(produceRequest(v, 1, all...), 3, new("id")), true)
		require.Equal(t, !bad, ok)
		if !ok {
			return
		}
		resp := kmsg.NewPtrProduceResponse()
		resp.Version = v
		decodeResponse(t, b, 3, resp)
		n := 0
		for _, topic := range resp.Topics {
			n += len(topic.Partitions)
		}
		require.Equal(t, len(all), n)
	})
}

// Garbage is never taken for more than it is.
func FuzzFields(f *testing.F) {
	for v := range int16(newestFetch + 1) {
		f.Add(v, encode(produceRequest(min(v, newestProduce), 1, batch(2, -1, 0), nil), 0, new("id")))
		f.Add(v, encode(joinRequest(min(v, newestJoinGroup), 45_000, "group", "member"), 0, new("id")))
		f.Add(v, encodeKey(keyFetch, v, 0))
	}
	f.Fuzz(func(t *testing.T, v int16, b []byte) {
		v = max(v, 0)
		before := bytes.Clone(b)
		if p, ok := findProduce(v, b); ok && (p.acksAt+2 != p.timeoutAt || p.timeoutAt+4 > len(b)) {
			t.Fatal(p)
		}
		if p, ok := findFetch(v, b); ok && p.minBytesAt+4 > len(b) {
			t.Fatal(p)
		}
		if p, ok := findJoin(v, b); ok && p.sessionAt+4 > len(b) {
			t.Fatal(p)
		}
		if resp, ok := walkProduce(v, b, true); ok && len(resp) > 128+40*len(b) {
			t.Fatalf("%d bytes of answer for %d", len(resp), len(b))
		}
		if !bytes.Equal(before, b) {
			t.Fatal("changed")
		}
	})
}
