package sensitive

import (
	"fmt"
	"io"
	"log/slog"
)

// Type is a ConfigDef.Type: the kind of value that a configuration key takes.
// The numbers are the ordinals that KIP-1324 puts on the wire; DescribeConfigs
// numbers the same types differently (kmsg.ConfigType), so never mix the two.
type Type int8

// The types, by their ConfigDef.Type ordinal. Entries of type Class and
// Password never leave the process.
const (
	Boolean  Type = 0
	String   Type = 1
	Int      Type = 2
	Short    Type = 3
	Long     Type = 4
	Double   Type = 5
	List     Type = 6
	Class    Type = 7
	Password Type = 8

	// Unknown is the type of a key that the table of Kafka keys does not
	// know. It is not a wire value: an entry of this type is never sent.
	Unknown Type = -1
)

// String returns the type's name as Kafka writes it, such as BOOLEAN.
func (t Type) String() string {
	switch t {
	case Boolean:
		return "BOOLEAN"
	case String:
		return "STRING"
	case Int:
		return "INT"
	case Short:
		return "SHORT"
	case Long:
		return "LONG"
	case Double:
		return "DOUBLE"
	case List:
		return "LIST"
	case Class:
		return "CLASS"
	case Password:
		return "PASSWORD"
	case Unknown:
		return "UNKNOWN"
	}
	return fmt.Sprintf("UNKNOWN(%d)", int8(t))
}

// Entry is one configuration of a client: a Kafka key, the value in Kafka's
// textual form, its type, and whether the value is the client's default.
//
// An Entry prints and logs as its key, type and origin; the value is redacted.
// Read the Value field, or marshal the entry to JSON, to get at it. A struct that
// keeps an Entry in an unexported field needs a Format method of its own, as fmt
// calls no method of such a field; Clean is safe there.
type Entry struct {
	Key       string `json:"key"`
	Value     string `json:"value"`
	Type      Type   `json:"type"`
	IsDefault bool   `json:"isDefault"`
}

// String returns the entry without its value.
func (e Entry) String() string {
	return fmt.Sprintf("%s=%s (%s, default %t)", printable(e.Key), redacted, e.Type, e.IsDefault)
}

// GoString is String, so that %#v does not print the value either.
func (e Entry) GoString() string { return e.String() }

// Format prints String for every verb.
func (e Entry) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, e.String()) }

// LogValue keeps the value out of slog records.
func (e Entry) LogValue() slog.Value { return slog.StringValue(e.String()) }

const redacted = "[redacted]"
