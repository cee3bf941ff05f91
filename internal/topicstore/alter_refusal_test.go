package topicstore

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// operator is a store for which acks is the only key, with small numbers as its
// values.
func operator(cfg *Config) {
	cfg.Known = func(key string) bool { return key == "acks" }
	cfg.Validate = func(key, value string) error {
		switch {
		case key != "acks":
			return fmt.Errorf("%s is no key", key)
		case len(value) > 3:
			return fmt.Errorf("acks cannot be %s", value)
		}
		return nil
	}
}

func invalidRequest(err error) bool { return errors.Is(err, kerr.InvalidRequest) }
func notUTF8(err error) bool        { return strings.Contains(err.Error(), "UTF-8") }

func is[T error](err error) bool {
	_, ok := errors.AsType[T](err)
	return ok
}

func TestAnAlterationThatIsWrongIsRefusedAndWritesNothing(t *testing.T) {
	c := cluster(t)
	s := store(t, c, operator)
	setUp(t, s)
	before := written(c, DefaultDynamicTopic)
	alice := kcfg.User("alice")
	for name, tt := range map[string]struct {
		entity kcfg.Entity
		ops    []kcfg.Op
		is     func(error) bool
	}{
		"the default user":      {kcfg.DefaultUser(), []kcfg.Op{kcfg.Set("acks", "1")}, invalidRequest},
		"its client":            {kcfg.DefaultUser().Client("orders"), []kcfg.Op{kcfg.Set("acks", "1")}, invalidRequest},
		"the default client":    {alice.DefaultClient(), []kcfg.Op{kcfg.Set("acks", "1")}, invalidRequest},
		"no entity":             {kcfg.Entity{}, []kcfg.Op{kcfg.Set("acks", "1")}, func(err error) bool { return err != nil }},
		"a key twice":           {alice, []kcfg.Op{kcfg.Set("acks", "1"), kcfg.Remove("acks")}, invalidRequest},
		"an unknown key":        {alice, []kcfg.Op{kcfg.Set("asks", "1")}, is[*cfgerrors.InvalidConfigError]},
		"an unknown key gone":   {alice, []kcfg.Op{kcfg.Remove("asks")}, is[*cfgerrors.InvalidConfigError]},
		"one of two":            {alice, []kcfg.Op{kcfg.Set("acks", "1"), kcfg.Set("asks", "1")}, is[*cfgerrors.InvalidConfigError]},
		"a wrong value":         {alice, []kcfg.Op{kcfg.Set("acks", secret)}, is[*cfgerrors.InvalidConfigError]},
		"supported.configs":     {alice, []kcfg.Op{kcfg.Remove(kcfg.SupportedConfigs)}, is[*cfgerrors.InvalidConfigError]},
		"a user not of UTF-8":   {kcfg.User("\xff"), []kcfg.Op{kcfg.Set("acks", "1")}, notUTF8},
		"a client not of UTF-8": {alice.Client("\xff"), []kcfg.Op{kcfg.Set("acks", "1")}, notUTF8},
		"a key not of UTF-8":    {alice, []kcfg.Op{kcfg.Remove("\xff")}, notUTF8},
		"a value not of UTF-8":  {alice, []kcfg.Op{kcfg.Set("acks", secret+"\xff")}, notUTF8},
		"a name beyond Kafka":   {kcfg.User(strings.Repeat("a", 1<<15)), []kcfg.Op{kcfg.Set("acks", "1")}, is[*cfgerrors.IdentifierTooLargeError]},
	} {
		err := refusal(t, s, kcfg.Alter(tt.entity, tt.ops...))
		require.Error(t, err, name)
		assert.True(t, tt.is(err), "%s: %T: %v", name, err, err)
		assert.NotContains(t, err.Error(), secret, name)
		assert.False(t, cfgerrors.Retriable(err), name)
	}
	assert.Equal(t, before, written(c, DefaultDynamicTopic))
	alter(t, s, alice, kcfg.Set("acks", "1"))
	assert.Equal(t, before+1, written(c, DefaultDynamicTopic), "a right one is written")
}

func TestAnEntityThatComesTwiceIsRefusedBothTimes(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	alice := kcfg.User("alice")
	out, err := s.Alter(withTimeout(t), false, []kcfg.Alteration{
		kcfg.Alter(alice, kcfg.Set("acks", "1")), kcfg.Alter(kcfg.User("bob"), kcfg.Set("acks", "1")), kcfg.Alter(alice, kcfg.Set("linger.ms", "5")),
	})
	require.NoError(t, err)
	require.Len(t, out.Altered, 3)
	assert.ErrorIs(t, out.Altered[0].Err, kerr.InvalidRequest)
	assert.NoError(t, out.Altered[1].Err)
	assert.ErrorIs(t, out.Altered[2].Err, kerr.InvalidRequest)
	assert.Empty(t, self(t, s))
}

func TestAnUnknownKeyThatIsSetCanBeRemoved(t *testing.T) {
	c := cluster(t)
	s := store(t, c, operator)
	setUp(t, s)
	putAlice(t, c, rec(`[1,"alice",null,"asks"]`, `{"version":1,"value":"1"}`))
	require.Equal(t, map[string]string{"asks": "1"}, self(t, s))
	assert.True(t, is[*cfgerrors.InvalidConfigError](refusal(t, s, kcfg.Alter(kcfg.User("alice").Client("orders"), kcfg.Remove("asks")))), "it is another entity's")
	alter(t, s, kcfg.User("alice"), kcfg.Remove("asks"))
	assert.Empty(t, self(t, s))
	// A known one needs not be set.
	alter(t, s, kcfg.User("alice"), kcfg.Remove("acks"))
}

func TestSupportedConfigsAreNotForOperators(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	putAlice(t, c, rec(`[1,"alice",null,"supported.configs"]`, `{"version":1,"value":"1"}`))
	err := refusal(t, s, kcfg.Alter(kcfg.User("alice"), kcfg.Remove(kcfg.SupportedConfigs)))
	assert.True(t, is[*cfgerrors.InvalidConfigError](err), err)
}

func TestWhatIsTooLargeIsRefusedAndTheLargestIsRead(t *testing.T) {
	c := cluster(t)
	s := store(t, c, nil)
	setUp(t, s)
	before := written(c, DefaultDynamicTopic)
	alice := kcfg.User("alice")
	tooLarge := is[*cfgerrors.ConfigTooLargeError]
	room := maxDynamicRecord - len(`[1,"alice",null,"k"]`) - len(`{"version":1,"value":""}`)
	assert.True(t, tooLarge(refusal(t, s, kcfg.Alter(alice, kcfg.Set("k", strings.Repeat("x", room+1))))))

	var ops []kcfg.Op
	for i := range maxAlteration/maxDynamicRecord + 1 {
		ops = append(ops, kcfg.Set(fmt.Sprintf("k%02d", i), strings.Repeat("x", room-2)))
	}
	assert.True(t, tooLarge(refusal(t, s, kcfg.Alter(alice, ops...))))
	require.Equal(t, before, written(c, DefaultDynamicTopic))

	ops = ops[1:]
	alter(t, s, alice, ops...)
	assert.Len(t, self(t, s), len(ops))
	assert.Zero(t, s.Skipped())
}

func TestValidateOnlyChecksAllAndWritesNothing(t *testing.T) {
	c := cluster(t)
	s := store(t, c, operator)
	setUp(t, s)
	before := written(c, DefaultDynamicTopic)
	out, err := s.Alter(withTimeout(t), true, []kcfg.Alteration{
		kcfg.Alter(kcfg.User("alice"), kcfg.Set("acks", "1")),
		kcfg.Alter(kcfg.User("bob"), kcfg.Set("asks", "1")),
		kcfg.Alter(kcfg.User("carol"), kcfg.Remove("asks")),
	})
	require.NoError(t, err)
	assert.True(t, out.Sent)
	assert.NoError(t, out.Altered[0].Err)
	assert.True(t, is[*cfgerrors.InvalidConfigError](out.Altered[1].Err))
	assert.True(t, is[*cfgerrors.InvalidConfigError](out.Altered[2].Err))
	assert.Equal(t, before, written(c, DefaultDynamicTopic))
}
