package kcfg_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
)

func TestFilterMatches(t *testing.T) {
	all := []kcfg.Entity{
		kcfg.User("alice"), kcfg.User("bob"), kcfg.User(""), kcfg.DefaultUser(),
		kcfg.User("alice").Client("orders"), kcfg.User("alice").Client("other"), kcfg.User("alice").Client(""), kcfg.User("alice").DefaultClient(),
		kcfg.User("bob").Client("orders"), kcfg.DefaultUser().Client("orders"), kcfg.DefaultUser().DefaultClient(), kcfg.User("").Client(""),
		kcfg.Entity{}.Client("orders"),
	}
	for _, tt := range []struct {
		name   string
		filter kcfg.Filter
		want   []string
	}{
		{"everything", kcfg.Filter{}, nil},
		{"nothing, strictly", kcfg.Filter{}.StrictOnly(), []string{}},
		{"exact user", kcfg.FilterUser("alice"), []string{
			`<user "alice">`, `<user "alice", client-id "orders">`, `<user "alice", client-id "other">`,
			`<user "alice", client-id "">`, `<user "alice", client-id default>`,
		}},
		{"exact user, strictly", kcfg.FilterUser("alice").StrictOnly(), []string{`<user "alice">`}},
		{"user without characters", kcfg.FilterUser("").StrictOnly(), []string{`<user "">`}},
		{"default user", kcfg.FilterDefaultUser(), []string{`<user default>`, `<user default, client-id "orders">`, `<user default, client-id default>`}},
		{"default user, strictly", kcfg.FilterDefaultUser().StrictOnly(), []string{`<user default>`}},
		{"any user, strictly", kcfg.FilterAnyUser().StrictOnly(), []string{`<user "alice">`, `<user "bob">`, `<user "">`}},
		{"user and client id", kcfg.FilterUser("alice").Client("orders"), []string{`<user "alice", client-id "orders">`}},
		{"user and client id, strictly", kcfg.FilterUser("alice").Client("orders").StrictOnly(), []string{`<user "alice", client-id "orders">`}},
		{"user and client id without characters", kcfg.FilterUser("").Client(""), []string{`<user "", client-id "">`}},
		{"user and any client id", kcfg.FilterUser("alice").AnyClient(), []string{
			`<user "alice", client-id "orders">`, `<user "alice", client-id "other">`, `<user "alice", client-id "">`,
		}},
		{"user and default client id", kcfg.FilterUser("alice").DefaultClient(), []string{`<user "alice", client-id default>`}},
		{"both default", kcfg.FilterDefaultUser().DefaultClient(), []string{`<user default, client-id default>`}},
		{"any user, one client id", kcfg.FilterAnyUser().Client("orders"), []string{`<user "alice", client-id "orders">`, `<user "bob", client-id "orders">`}},
		{"one client id", kcfg.Filter{}.Client("orders"), []string{
			`<user "alice", client-id "orders">`, `<user "bob", client-id "orders">`, `<user default, client-id "orders">`, `<client-id "orders">`,
		}},
		{"one client id, strictly", kcfg.Filter{}.Client("orders").StrictOnly(), []string{`<client-id "orders">`}},
		{"nobody", kcfg.FilterUser("carol"), []string{}},
		{"a type that is not there", kcfg.Filter{Components: []kcfg.FilterComponent{{Type: "ip", Match: kcfg.MatchAny}}}, []string{}},
		{"a match that is not known", kcfg.Filter{Components: []kcfg.FilterComponent{{Type: "user", Match: 3}}}, []string{}},
		{"the same type twice: both", kcfg.FilterUser("alice").Client("orders").AnyClient(), []string{`<user "alice", client-id "orders">`}},
		{"the same type twice: never both", kcfg.FilterUser("alice").Client("orders").DefaultClient(), []string{}},
	} {
		got := []string{}
		for _, e := range all {
			if tt.filter.Matches(e) {
				got = append(got, e.String())
			}
		}
		if tt.want == nil {
			assert.Len(t, got, len(all), tt.name)
			continue
		}
		assert.Equal(t, tt.want, got, tt.name)
	}
}

func TestNarrowingAFilterLeavesItAsItWas(t *testing.T) {
	f := kcfg.FilterUser("alice")
	a, b := f.Client("a"), f.Client("b")
	assert.Len(t, f.Components, 1)
	assert.Equal(t, "a", a.Components[1].Name)
	assert.Equal(t, "b", b.Components[1].Name)
	assert.True(t, f.StrictOnly().Strict)
	assert.False(t, f.Strict)
}
