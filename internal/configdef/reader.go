package configdef

import "time"

// A reader says how one key is read from a client's options: v are those of the
// client, ref those of the reference client. Both functions run to the end even
// if an option cannot be read: the view remembers that, and the answer is
// thrown away.
type reader struct {
	// text returns the value as Kafka writes it, and false if the client has
	// no value for the key or none that Kafka could express.
	text func(v, ref *view) (string, bool)

	// same reports whether the value is the reference client's. Nil stands
	// for equal texts, which is not enough where two options make one text,
	// where a text loses a part of the option, or where the reference has no
	// value.
	same func(v, ref *view) bool
}

// reads is a reader of one option that no other option has a say in.
func reads[T comparable](opt any, text func(T) string) reader {
	return readsSome(opt, func(t T) (string, bool) { return text(t), true })
}

// readsSome is like reads for an option of which not every value has a text.
func readsSome[T comparable](opt any, text func(T) (string, bool)) reader {
	return reader{
		text: func(v, _ *view) (string, bool) { return text(get[T](v, opt)) },
		same: unchanged[T](opt),
	}
}

// readsID is a reader of a string option that is empty unless it was given.
func readsID(opt any) reader {
	return readsSome(opt, func(id string) (string, bool) { return id, id != "" })
}

// unchanged compares options as kgo holds them.
func unchanged[T comparable](opts ...any) func(v, ref *view) bool {
	return func(v, ref *view) bool {
		for _, opt := range opts {
			if get[T](v, opt) != get[T](ref, opt) {
				return false
			}
		}
		return true
	}
}

// never is for keys that have a value only if somebody set one.
func never(_, _ *view) bool { return false }

// always is for keys that have a value only if nobody set one.
func always(_, _ *view) bool { return true }

// unlimitedAtZero writes a zero duration, which kgo takes as no limit, as the
// type's largest number: Kafka takes 0 as no time at all.
func unlimitedAtZero(largest string, text func(time.Duration) string) func(time.Duration) string {
	return func(d time.Duration) string {
		if d == 0 {
			return largest
		}
		return text(d)
	}
}

// isDefault reports whether the client's value, which is text, is the
// reference's.
func (r reader) isDefault(text string, v, ref *view) bool {
	if r.same != nil {
		return r.same(v, ref)
	}
	want, ok := r.text(ref, ref)
	return ok && text == want
}
