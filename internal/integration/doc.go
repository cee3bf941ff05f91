// Package integration holds the tests against a real Kafka, which package
// kafkatest starts. They are skipped unless the environment asks for them:
//
//	make kafka-test      # the newest Kafka that is known here
//	make kafka-test-old  # the last one before version 4
//
// All share one cluster, so each uses topics, groups and client ids of its own,
// and none runs in parallel with others.
package integration
