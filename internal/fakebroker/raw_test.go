package fakebroker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/wire"
)

// rawClient writes and reads frames, without any rule that a real client obeys.
type rawClient struct {
	t testing.TB
	net.Conn
}

func dial(t testing.TB, c *Cluster, node int) *rawClient {
	t.Helper()
	conn, err := net.Dial("tcp", c.Addrs()[node])
	require.NoError(t, err)
	return raw(t, conn)
}

func raw(t testing.TB, conn net.Conn) *rawClient {
	t.Helper()
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(patience)))
	return &rawClient{t: t, Conn: conn}
}

// write writes bytes as they are.
func (r *rawClient) write(b []byte) {
	r.t.Helper()
	_, err := r.Write(b)
	require.NoError(r.t, err)
}

// send writes a request.
func (r *rawClient) send(req kmsg.Request, correlation int32) {
	r.t.Helper()
	r.write(formatted(req, correlation))
}

// read returns the next answer frame, its size included.
func (r *rawClient) read() []byte {
	r.t.Helper()
	frame, err := readFrame(r.Conn)
	require.NoError(r.t, err)
	return frame
}

// readFrame reads one frame, of either direction. With an error it returns what
// came of it.
func readFrame(in io.Reader) ([]byte, error) {
	var frame bytes.Buffer
	_, err := io.CopyN(&frame, in, sizeLen)
	if err == nil {
		if _, err = io.CopyN(&frame, in, int64(binary.BigEndian.Uint32(frame.Bytes()))); errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
	}
	return frame.Bytes(), err
}

// requireClosed fails unless the broker closed the connection without a byte.
func (r *rawClient) requireClosed() {
	r.t.Helper()
	n, err := r.Read(make([]byte, 1))
	require.Zero(r.t, n, "the broker answered")
	require.Error(r.t, err)
	netErr, ok := errors.AsType[net.Error](err)
	require.False(r.t, ok && netErr.Timeout(), "the connection is open")
}

// pushed decodes an answer to a push.
func pushed(t testing.TB, frame []byte) *wire.PushConfigResponse {
	t.Helper()
	require.Zero(t, frame[answerHead], "tags of the answer's header")
	resp := wire.NewPushConfigResponse(kcfg.DefaultProtocol())
	require.NoError(t, resp.ReadFrom(frame[answerHead+1:]))
	return resp
}

// answerOf decodes an answer of Kafka's own.
func answerOf[R kmsg.Response](t testing.TB, frame []byte, resp R, version int16) R {
	t.Helper()
	resp.SetVersion(version)
	body := frame[answerHead:]
	if resp.IsFlexible() && resp.Key() != keyAPIVersions {
		body = body[1:]
	}
	require.NoError(t, resp.ReadFrom(body))
	return resp
}

// requestAt returns a request at a version.
func requestAt[R kmsg.Request](req R, version int16) R {
	req.SetVersion(version)
	return req
}

// produceOf returns a Produce request of version 11 with one record, to
// partition 0.
func produceOf(topic string, acks int16, value []byte) *kmsg.ProduceRequest {
	req := requestAt(kmsg.NewPtrProduceRequest(), 11)
	req.Acks, req.TimeoutMillis = acks, 1000
	p := kmsg.NewProduceRequestTopicPartition()
	p.Records = batchOf(value)
	rt := kmsg.NewProduceRequestTopic()
	rt.Topic = topic
	rt.Partitions = append(rt.Partitions, p)
	req.Topics = append(req.Topics, rt)
	return req
}

func batchOf(value []byte) []byte {
	body := []byte{0, 0, 0}            // attributes, timestamp and offset deltas
	body = kbin.AppendVarint(body, -1) // no key
	body = kbin.AppendVarintBytes(body, value)
	body = append(body, 0) // no headers
	b := kmsg.RecordBatch{
		PartitionLeaderEpoch: -1,
		Magic:                2,
		FirstTimestamp:       1,
		MaxTimestamp:         1,
		ProducerID:           -1,
		ProducerEpoch:        -1,
		FirstSequence:        -1,
		NumRecords:           1,
		Records:              kbin.AppendVarintBytes(nil, body),
	}
	raw := b.AppendTo(nil)
	binary.BigEndian.PutUint32(raw[8:], uint32(len(raw)-12))
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], crc32.MakeTable(crc32.Castagnoli)))
	return raw
}

func metadataOf() *kmsg.MetadataRequest { return requestAt(kmsg.NewPtrMetadataRequest(), 12) }
