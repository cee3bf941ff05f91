package configdef

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// acks writes "all" where Java's own clients may say "-1", the same thing.
func acks() reader {
	return readsSome(kgo.RequiredAcks, func(a kgo.Acks) (string, bool) {
		switch a {
		case kgo.AllISRAcks():
			return "all", true
		case kgo.LeaderAck():
			return "1", true
		case kgo.NoAck():
			return "0", true
		}
		return "", false
	})
}

// bufferMemory is unlimited by default, which kgo keeps as 0.
func bufferMemory() reader {
	return reads(kgo.MaxBufferedBytes, func(n int64) string {
		if n == 0 {
			return maxLong
		}
		return longText(n)
	})
}

// batchSize asks for the limit of the topic "", as kgo's own validation does. A
// function of the application counts as a change whatever it answers for that.
func batchSize() reader {
	return reader{
		text: func(v, _ *view) (string, bool) { return int32Text(get[int32](v, kgo.ProducerBatchMaxBytes)), true },
		same: sameCode(kgo.ProducerBatchMaxBytesFn),
	}
}

// inFlight is 5 for an idempotent producer, although the option must then read
// 1: kgo raises it after the first answer of a broker that allows it. The
// option is compared, so that neither mode's default looks like a change.
func inFlight() reader {
	return reader{
		text: func(v, _ *view) (string, bool) {
			if !get[bool](v, kgo.DisableIdempotentWrite) {
				return "5", true
			}
			return intText(int64(get[int](v, kgo.MaxProduceRequestsInflightPerBroker))), true
		},
		same: unchanged[int](kgo.MaxProduceRequestsInflightPerBroker),
	}
}

// rackAwarePartitioner is off without a rack, whatever the option says.
func rackAwarePartitioner() reader {
	return reader{text: func(v, _ *view) (string, bool) {
		aware := get[bool](v, kgo.RackAwarePartitioning)
		return boolText(aware && get[string](v, kgo.Rack) != ""), true
	}}
}
