package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/connect"
	"github.com/kcfg-go/kcfg/internal/fakebroker"
)

// defaultMechanism is that of users who name none.
const defaultMechanism = "SCRAM-SHA-256"

// allUsers are the users of the flags and of the file.
func (f *brokerFlags) allUsers() ([]fakebroker.User, error) {
	var users []fakebroker.User
	for _, s := range f.users {
		u, ok := userOf(s)
		if !ok { // which is not shown: it may be a password
			return nil, fmt.Errorf("--user is not name:password[:mechanism]")
		}
		users = append(users, u)
	}
	if f.usersFile == "" {
		return users, nil
	}
	b, err := os.ReadFile(f.usersFile)
	if err != nil {
		return nil, fmt.Errorf("--users-file: %w", err)
	}
	n := 0
	for line := range strings.Lines(string(b)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		u, ok := userOf(line)
		if !ok {
			return nil, fmt.Errorf("--users-file: line %d of %s is not name:password[:mechanism]", n, f.usersFile)
		}
		users = append(users, u)
	}
	if len(users) == 0 {
		return nil, fmt.Errorf("--users-file: there is no user in %s", f.usersFile)
	}
	return users, nil
}

// userOf parses name:password[:mechanism]. A password may have colons.
func userOf(s string) (fakebroker.User, bool) {
	name, password, ok := strings.Cut(s, ":")
	u := fakebroker.User{Name: name, Password: password, Mechanism: defaultMechanism}
	if i := strings.LastIndexByte(password, ':'); i >= 0 && slices.Contains(connect.Mechanisms(), password[i+1:]) {
		u.Password, u.Mechanism = password[:i], password[i+1:]
	}
	return u, ok && u.Name != "" && u.Password != ""
}
