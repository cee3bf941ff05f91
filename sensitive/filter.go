package sensitive

import (
	"fmt"
	"log/slog"
)

// Held is an entry that Filter held back, and why. It does not have the value.
type Held struct {
	Key    string `json:"key"`
	Type   Type   `json:"type"`
	Reason Reason `json:"reason"`

	// Length is the number of bytes of the value; it matters with
	// ReasonTooLong. It is not printed, since it tells something about a
	// password.
	Length int `json:"length"`
}

// String returns one line for a log, such as
//
//	db.password (STRING) is held back: key contains a word for a secret
//
// A key that is long or has unprintable characters is cut and quoted.
func (h Held) String() string {
	return fmt.Sprintf("%s (%s) is held back: %s", printable(h.Key), h.Type, h.Reason)
}

// LogValue returns the key, type and reason as a group.
func (h Held) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("key", printable(h.Key)),
		slog.String("type", h.Type.String()),
		slog.String("reason", h.Reason.String()),
	)
}

// Filter applies Check and CheckValue to each entry. It returns those that
// passed both and those that did not, each in the order given, nil where there
// are none. The reason of the key goes before that of the value.
//
// Each entry is judged alone. A key that occurs twice is kept twice: which one
// holds is for the caller to say. Filter keeps nothing of the caller's slice.
func Filter(entries ...Entry) (clean []Clean, held []Held) {
	for _, e := range entries {
		reason := Check(e.Key, e.Type)
		if reason == NotSensitive {
			reason = CheckValue(e.Value)
		}
		if reason == NotSensitive {
			clean = append(clean, newClean(e))
			continue
		}
		held = append(held, Held{Key: e.Key, Type: e.Type, Reason: reason, Length: len(e.Value)})
	}
	return clean, held
}
