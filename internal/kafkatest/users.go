package kafkatest

// The users that can authenticate, with SCRAM-SHA-256 and with PLAIN. Admin is a
// superuser; the others may nothing that no ACL allows.
const (
	Admin = "admin"
	Alice = "alice"
	Bob   = "bob"
)

var users = []string{Admin, Alice, Bob}

// Password returns the password of a user.
func Password(user string) string { return user + "-secret" }
