package configdef

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// groupID is the group of a consumer or of a share consumer; kgo allows one of
// them.
func groupID() reader {
	return reader{
		text: func(v, _ *view) (string, bool) {
			id := get[string](v, kgo.ConsumerGroup)
			if v.kind.Has(share) {
				if s := get[string](v, kgo.ShareGroup); s != "" {
					id = s
				}
			}
			return id, id != ""
		},
		same: never, // the reference has a group of its own
	}
}

// autoCommit needs a group, and kgo switches it off under a transactional id,
// where offsets are part of the transaction. It does so only at the end of
// NewClient, so the option is not asked then. In both cases the value is not
// the application's doing.
func autoCommit() reader {
	bound := func(v *view) bool {
		return get[string](v, kgo.ConsumerGroup) == "" || get[string](v, kgo.TransactionalID) != ""
	}
	return reader{
		text: func(v, _ *view) (string, bool) {
			return boolText(!bound(v) && !get[bool](v, kgo.DisableAutoCommit)), true
		},
		same: func(v, ref *view) bool {
			return bound(v) || unchanged[bool](kgo.DisableAutoCommit)(v, ref)
		},
	}
}

func isolationLevel() reader {
	return readsSome(kgo.FetchIsolationLevel, func(level int8) (string, bool) {
		switch level {
		case 0:
			return "read_uncommitted", true
		case 1:
			return "read_committed", true
		}
		return "", false
	})
}

// fetchMaxBytes is one of the two values that change in a live client.
func fetchMaxBytes() reader {
	return reader{
		text: func(v, _ *view) (string, bool) { return v.limits.text(v, v.limits.max), true },
		same: func(v, ref *view) bool { return v.limits.max == ref.limits.max },
	}
}

// partitionFetchBytes is the other one.
func partitionFetchBytes() reader {
	return reader{
		text: func(v, _ *view) (string, bool) { return v.limits.text(v, v.limits.partition), true },
		same: func(v, ref *view) bool {
			have, want := v.limits, ref.limits
			if have.partition == want.partition {
				return true
			}
			// kgo lowers it to a lower FetchMaxBytes when it builds the
			// client. That the application set both to one number looks the
			// same, and is less likely.
			return !have.updated && have.partition == have.max && have.max < want.partition
		},
	}
}

// maxPollRecords is what a share fetch asks for: kgo keeps an option that was
// not given as -1 and sends 500 then.
func maxPollRecords() reader {
	return reader{text: func(v, _ *view) (string, bool) {
		n := get[int32](v, kgo.ShareMaxRecords)
		if n <= 0 {
			n = 500
		}
		return int32Text(n), true
	}}
}

func acquireMode() reader {
	return reads(kgo.ShareMaxRecordsStrict, func(strict bool) string {
		if strict {
			return "record_limit"
		}
		return "batch_optimized"
	})
}
