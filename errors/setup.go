package errors

import "fmt"

// NotSetUpError is returned where client configurations are kept in topics, for
// a topic that is not as it should be: missing, not made by SetupTopics, made for
// another cluster, or damaged. What is in force stays. It is not retriable; once
// the topic is repaired, clients find out by themselves.
type NotSetUpError struct {
	// Topic is the name of the topic.
	Topic string
	// Reason says what is wrong, for people.
	Reason string
	// Missing is set if there is no topic of the name.
	Missing bool
}

func (e *NotSetUpError) Error() string {
	return fmt.Sprintf("kcfg: the topic %q is not set up for client configurations: %s", e.Topic, e.Reason)
}
