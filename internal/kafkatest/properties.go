package kafkatest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// renderProperties writes a Java properties file, sorted by key.
func renderProperties(props map[string]string) string {
	escape := strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(props)) {
		value := escape.Replace(props[key])
		if strings.HasPrefix(value, " ") {
			value = `\` + value // else Java skips it
		}
		fmt.Fprintf(&b, "%s=%s\n", key, value)
	}
	return b.String()
}

// The names of the listeners.
const (
	plainListener      = "PLAINTEXT"
	saslListener       = "SASL_PLAINTEXT"
	sslListener        = "SSL"
	controllerListener = "CONTROLLER"
)

// serverProperties is the configuration of n, one of nodes.
func serverProperties(nodes []*node, n *node, extra map[string]string) map[string]string {
	var voters []string
	for _, other := range nodes {
		voters = append(voters, fmt.Sprintf("%d@%s", other.id, addr(other.ports.controller)))
	}
	clients := strings.Join([]string{
		plainListener + "://" + addr(n.ports.plain),
		saslListener + "://" + addr(n.ports.sasl),
		sslListener + "://" + addr(n.ports.ssl),
	}, ",")

	props := map[string]string{
		"node.id":                        fmt.Sprint(n.id),
		"process.roles":                  "broker,controller",
		"controller.quorum.voters":       strings.Join(voters, ","),
		"controller.listener.names":      controllerListener,
		"inter.broker.listener.name":     plainListener,
		"listeners":                      clients + "," + controllerListener + "://" + addr(n.ports.controller),
		"advertised.listeners":           clients,
		"listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL",
		"log.dirs":                       n.file("data"),
	}
	maps.Copy(props, security(n.keystore))
	maps.Copy(props, small)
	maps.Copy(props, extra)
	return props
}

// security is the part about who is who, and who may do what.
func security(keystore string) map[string]string {
	var plainUsers []string
	for _, user := range users {
		plainUsers = append(plainUsers, fmt.Sprintf("user_%s=%q", user, Password(user)))
	}
	return map[string]string{
		"authorizer.class.name":                                       "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
		"allow.everyone.if.no.acl.found":                              "false",
		"super.users":                                                 "User:ANONYMOUS;User:" + Admin,
		"listener.name.ssl.ssl.keystore.type":                         "PEM",
		"listener.name.ssl.ssl.client.auth":                           "none",
		"listener.name.ssl.ssl.keystore.location":                     keystore,
		"sasl.enabled.mechanisms":                                     "SCRAM-SHA-256,PLAIN",
		"listener.name.sasl_plaintext.scram-sha-256.sasl.jaas.config": "org.apache.kafka.common.security.scram.ScramLoginModule required;",
		"listener.name.sasl_plaintext.plain.sasl.jaas.config": "org.apache.kafka.common.security.plain.PlainLoginModule required " +
			strings.Join(plainUsers, " ") + ";",
	}
}

// small is what makes a cluster quick to start and cheap to run, and lets tests
// use short sessions.
var small = map[string]string{
	"auto.create.topics.enable":                "false",
	"default.replication.factor":               "3",
	"offsets.topic.replication.factor":         "3",
	"offsets.topic.num.partitions":             "3",
	"transaction.state.log.replication.factor": "3",
	"transaction.state.log.min.isr":            "2",
	"transaction.state.log.num.partitions":     "3",
	"group.initial.rebalance.delay.ms":         "0",
	"group.min.session.timeout.ms":             "1000",
	"broker.session.timeout.ms":                "6000", // the leaders of a killed node move after this
	"broker.heartbeat.interval.ms":             "1000",
	"group.consumer.max.heartbeat.interval.ms": "60000", // above the shortest session
	"num.network.threads":                      "2",
	"num.io.threads":                           "4",
	"log.cleaner.dedupe.buffer.size":           "2097152", // a buffer that is allocated at once
}
