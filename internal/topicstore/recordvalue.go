package topicstore

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// header proves that Setup made a topic. It is in every partition of the dynamic
// topic, and names the topic of the clients too: its own records do not last, and
// those who write it may not read it.
type header struct {
	Version    int    `json:"version"`
	Cluster    string `json:"cluster"`
	Topic      string `json:"topicId"` // Kafka's, empty on brokers before 2.8
	Clients    string `json:"clientsTopicId"`
	Partitions int    `json:"partitions"`
}

// dynamicValue is one dynamic configuration.
type dynamicValue struct {
	Version int     `json:"version"`
	Value   *string `json:"value"`
}

// versionError is a record of a version that this library does not know.
type versionError int

func (v versionError) Error() string {
	return fmt.Sprintf("it has version %d of the schema, and this library knows %d", int(v), schemaVersion)
}

var errValue = errors.New("it is no JSON of this schema")

// decode decodes a JSON object of a version that we know. Members that we do not
// know are somebody's addition.
func decode[T any](b []byte, version func(*T) int) (T, error) {
	var v T
	if !utf8.Valid(b) {
		return v, errUTF8
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return v, errValue // the error of encoding/json shows part of the text
	}
	if n := version(&v); n != schemaVersion {
		return v, versionError(n)
	}
	return v, nil
}

func parseHeader(b []byte) (header, error) {
	return decode(b, func(h *header) int { return h.Version })
}

func parseDynamic(b []byte) (string, error) {
	v, err := decode(b, func(v *dynamicValue) int { return v.Version })
	if err == nil && v.Value == nil {
		err = errValue
	}
	if err != nil {
		return "", err
	}
	return *v.Value, nil
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("topicstore: " + err.Error()) // our own structs of strings and numbers
	}
	return b
}
