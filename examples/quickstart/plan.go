package main

import (
	"crypto/rand"
	"fmt"

	"github.com/kcfg-go/kcfg/sensitive"
)

const (
	user      = "alice" // the SASL user on the embedded broker
	bootstrap = "bootstrap.servers"
)

// plan is what the two clients are asked to push besides their own
// configurations. Its random texts differ from run to run, so that finding one
// in the broker's bytes has one explanation.
type plan struct {
	// password is the SCRAM password.
	password sensitive.Secret
	// marker is the value of a harmless key. Where it arrives, secrets would
	// have been seen too.
	marker string
	// secrets are all that must stay in the process.
	secrets []secret

	harmless []sensitive.Entry // for client.ExtraConfig, and to be pushed
	held     []sensitive.Entry // for client.ExtraConfig, and to be held back
	pushKeys []string          // for client.PushKeys
}

// secret is a random text and what it stands for.
type secret struct {
	name  string
	value sensitive.Secret
}

func newPlan() plan {
	p := plan{marker: "marker-" + rand.Text()}
	password := p.secret("the SCRAM password")
	p.password = sensitive.NewSecret(password)

	// A key that may go, if the application names it and its type.
	p.harmless = []sensitive.Entry{{Key: "orders.release", Value: p.marker, Type: sensitive.String}}

	// Keys that are held back by their name or type.
	p.hold("db.password", p.secret("the value of db.password"), sensitive.Password)
	p.hold("orders.api.key", p.secret("the value of orders.api.key"), sensitive.String)
	p.hold("orders.partitioner.class", p.secret("the value of orders.partitioner.class"), sensitive.String)
	p.hold("orders.note", p.secret("the value of orders.note, which has no type"), sensitive.Unknown)
	p.hold("sasl.jaas.config", fmt.Sprintf("ScramLoginModule required username=%q password=%q;", user, password), sensitive.Password)
	p.hold("ssl.key.password", p.secret("the value of ssl.key.password"), sensitive.Password)
	p.hold("ssl.keystore.location", "/etc/orders/"+p.secret("the path of ssl.keystore.location")+".p12", sensitive.String)
	p.hold("ssl.truststore.certificates", "-----BEGIN CERTIFICATE-----\n"+p.secret("the PEM text of ssl.truststore.certificates"), sensitive.Password)

	// A harmless key with a value that is not.
	p.hold("orders.db.url", "postgres://"+user+":"+p.secret("the password in orders.db.url")+"@db.internal/orders", sensitive.String)

	// Keys of Kafka that are not pushed by default. The client can tell the
	// first; the second stays, whoever names it.
	p.pushKeys = []string{bootstrap, "sasl.mechanism"}
	return p
}

// secret makes up a secret and returns its text.
func (p *plan) secret(name string) string {
	text := rand.Text()
	p.secrets = append(p.secrets, secret{name, sensitive.NewSecret(text)})
	return text
}

func (p *plan) hold(key, value string, t sensitive.Type) {
	p.held = append(p.held, sensitive.Entry{Key: key, Value: value, Type: t})
}
