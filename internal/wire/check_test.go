package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestCheckRefusesWhatNoKafkaStringCanHold(t *testing.T) {
	longest := strings.Repeat("m", MaxStringLen)
	longer := longest + "m"
	exact := func(typ, name string) *DescribeClientConfigsRequest {
		return &DescribeClientConfigsRequest{Components: []DescribeComponent{{EntityType: typ, Match: &name}}}
	}
	describe := func(r *DescribeClientConfigsRequest) func() error { return r.Check }
	alter := func(a kcfg.Alteration) func() error { return func() error { return CheckAlteration(a) } }
	user := kcfg.User("alice")
	for _, tt := range []struct {
		name  string
		check func() error
		typ   string // of what is too long, empty for nothing
	}{
		{"nothing", describe(&DescribeClientConfigsRequest{}), ""},
		{"longest user", describe(exact("user", longest)), ""},
		{"long user", describe(exact("user", longer)), "user"},
		{"long client id", describe(exact("client-id", longer)), "client-id"},
		{"long type", describe(exact(longer, "x")), "entity type"},
		{"long type without a name", describe(&DescribeClientConfigsRequest{Components: []DescribeComponent{{EntityType: longer, MatchType: 2}}}), "entity type"},
		{"default user", describe(&DescribeClientConfigsRequest{Components: []DescribeComponent{{EntityType: "user", MatchType: 1}}}), ""},
		{"long supported key", describe(&DescribeClientConfigsRequest{SupportedConfigs: []string{"acks", longer}}), "config key"},

		{"longest of all", alter(kcfg.Alter(kcfg.User(longest).Client(longest), kcfg.Set(longest, longest))), ""},
		{"defaults", alter(kcfg.Alter(kcfg.DefaultUser().DefaultClient(), kcfg.Remove("acks"))), ""},
		{"long user to alter", alter(kcfg.Alter(kcfg.User(longer))), "user"},
		{"long client id to alter", alter(kcfg.Alter(user.Client(longer))), "client-id"},
		{"long key", alter(kcfg.Alter(user, kcfg.Set("acks", "1"), kcfg.Set(longer, "1"))), "config key"},
		{"long value", alter(kcfg.Alter(user, kcfg.Set("acks", longer))), "config value"},
	} {
		err := tt.check()
		if tt.typ == "" {
			assert.NoError(t, err, tt.name)
			continue
		}
		tooLarge, ok := errors.AsType[*cfgerrors.IdentifierTooLargeError](err)
		require.True(t, ok, tt.name)
		assert.Equal(t, tt.typ, tooLarge.Type, tt.name)
		assert.Equal(t, MaxStringLen+1, tooLarge.Length, tt.name)
		assert.Equal(t, MaxStringLen, tooLarge.Limit, tt.name)
		assert.NotContains(t, err.Error(), "mmm", tt.name)
	}
}
