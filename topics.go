package kcfg

// TopicSetup is what SetupTopics is to make: the two topics in which client
// configurations are kept where no broker speaks the RPCs.
type TopicSetup struct {
	// Replicas is the replication factor; 0 takes 3, or the number of brokers
	// where there are fewer.
	Replicas int16
	// Applications and Operators are principals with their type, such as
	// "User:alice", to be given the rights that they need: applications read what
	// operators set and write about themselves, operators the reverse, and read
	// what they set.
	Applications, Operators []string
	// ApplyACLs creates the ACLs; else they are only told.
	ApplyACLs bool
}

// TopicsMade is what SetupTopics found and made.
type TopicsMade struct {
	Topics []TopicMade `json:"topics"`
	// Headers counts the partitions that got a header.
	Headers int `json:"headers"`
	// ACLs are commands for Kafka's own tool that create the ACLs.
	ACLs        []string `json:"acls,omitempty"`
	ACLsApplied bool     `json:"aclsApplied"`
}

// TopicMade is a topic that SetupTopics made or found.
type TopicMade struct {
	Name     string         `json:"name"`
	Created  bool           `json:"created"`
	Settings []TopicSetting `json:"settings"` // sorted by key
}

// TopicSetting is a setting of a topic, as it is now.
type TopicSetting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	// Was is the value before SetupTopics, where that was another one.
	Was string `json:"was,omitempty"`
}
