package kcfg

import "time"

// ClientAliveFor is how old the record of a client that lives can be: it is written
// anew every six hours, and once missed is no death. What is older is of a client that
// ended without a word, whose record stays for up to a day.
const ClientAliveFor = 12 * time.Hour

// ClientRecord is what a client tells of itself in a topic: the configurations
// that it would push (KIP-1324), and where its dynamic configurations stand. All
// of it is a claim, the principal too.
type ClientRecord struct {
	// Version is that of the schema, 1.
	Version int `json:"version"`
	// Instance is the client's ClientInstanceID.
	Instance string `json:"instance"`
	// Principal is the user that the client takes itself for, without "User:",
	// nil if it does not know.
	Principal *string `json:"principal"`
	ClientID  string  `json:"clientId"`
	// Group is the group that it is in, empty for none.
	Group    string   `json:"group,omitempty"`
	Software Software `json:"software"`
	Host     string   `json:"host,omitempty"`
	Kinds    Kind     `json:"kinds"`
	// Since is when the client was made, and At when it told this.
	Since   time.Time      `json:"since"`
	At      time.Time      `json:"at"`
	Configs []ClientConfig `json:"configs"`
	// Supported are the dynamic configurations that it accepts, and Dynamic is
	// where each stands.
	Supported []string   `json:"supported"`
	Dynamic   []KeyState `json:"dynamic"`
}

// ClientRecords are those of all clients that are in a topic.
type ClientRecords struct {
	// Records are sorted by instance.
	Records []ClientRecord
	// Skipped counts the records that are not of the schema, such as those of a later
	// version: there may be more clients than Records has.
	Skipped int
}

// Software is the library that a client is made with.
type Software struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// String returns the two as supported.configs has them.
func (s Software) String() string { return s.Name + "/" + s.Version }

// ClientConfig is one configuration of a client. None is sensitive.
type ClientConfig struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Type is Kafka's ConfigDef.Type of the key, such as "INT".
	Type string `json:"type"`
	// Default is set if the application did not choose the value.
	Default bool `json:"default"`
}
