package identifier_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/identifier"
)

// names has every type with its limit of the proposal.
var names = map[identifier.Type]struct {
	name    string
	longest int
	bytes   bool
}{
	identifier.Topic:           {"topic", 249, false},
	identifier.Group:           {"group", 249, false},
	identifier.Member:          {"member", 36, false},
	identifier.GroupInstance:   {"group instance", 249, false},
	identifier.ClientID:        {"client id", 249, false},
	identifier.TransactionalID: {"transactional id", 249, false},
	identifier.OffsetMetadata:  {"offset metadata", 4096, true},
	identifier.Rack:            {"rack", 249, false},
	identifier.ConfigResource:  {"config resource", 249, false},
	identifier.ACLResource:     {"ACL resource", 249, false},
	identifier.ACLPrincipal:    {"ACL principal", 249, false},
	identifier.ACLHost:         {"ACL host", 249, false},
}

// Characters by their bytes and by the units that Java counts.
var letters = []struct {
	text         string
	bytes, units int
}{
	{"a", 1, 1},
	{"\u00e9", 2, 1},     // e with an acute accent
	{"\u6f22", 3, 1},     // a Han character
	{"\U0001f600", 4, 2}, // a face: a surrogate pair
	{"\xff", 1, 1},       // no UTF-8
}

// tooLarge returns the error, and fails if it is another one.
func tooLarge(t require.TestingT, err error) *cfgerrors.IdentifierTooLargeError {
	require.Error(t, err)
	e, ok := errors.AsType[*cfgerrors.IdentifierTooLargeError](err)
	require.True(t, ok, "%T", err)
	return e
}

func TestEveryTypeHasItsLimitInItsUnit(t *testing.T) {
	for typ, want := range names {
		longest, bytes, ok := typ.Limit()
		require.True(t, ok)
		assert.Equal(t, want.longest, longest, want.name)
		assert.Equal(t, want.bytes, bytes, want.name)
		assert.Equal(t, want.name, typ.String())
		for _, l := range letters {
			size := l.units
			if want.bytes {
				size = l.bytes
			}
			at := strings.Repeat(l.text, want.longest/size) + strings.Repeat("a", want.longest%size)
			require.NoError(t, identifier.Check(typ, at), "%s of %q at the limit", typ, l.text)
			e := tooLarge(t, identifier.Check(typ, at+"a"))
			assert.Equal(t, &cfgerrors.IdentifierTooLargeError{Type: want.name, Length: want.longest + 1, Limit: want.longest}, e)
			assert.False(t, cfgerrors.Retriable(e))
		}
		require.NoError(t, identifier.Check(typ, ""))
	}
	assert.Len(t, names, 12)
}

func TestTheLimitOfTheWireIsInBytesAndComesFirst(t *testing.T) {
	for typ, want := range names {
		for _, l := range letters {
			at := strings.Repeat(l.text, 32_767/l.bytes) + strings.Repeat("a", 32_767%l.bytes)
			require.Len(t, at, 32_767)
			require.NoError(t, identifier.CheckWire(typ, at))
			assert.Equal(t, want.longest, tooLarge(t, identifier.Check(typ, at)).Limit)
			for _, err := range []error{identifier.CheckWire(typ, at+"a"), identifier.Check(typ, at+"a")} {
				assert.Equal(t, &cfgerrors.IdentifierTooLargeError{Type: want.name, Length: 32_768, Limit: 32_767}, tooLarge(t, err))
			}
		}
	}
}

func TestMetadataMayHaveAnotherLimit(t *testing.T) {
	require.NoError(t, identifier.CheckMetadata("\u00e9\u00e9", 4))
	e := tooLarge(t, identifier.CheckMetadata("\u00e9\u00e9a", 4))
	assert.Equal(t, 5, e.Length)
	assert.Equal(t, 4, e.Limit)
	assert.Equal(t, "offset metadata", e.Type)
}

func TestATypeThatThereIsNotHasTheLimitOfTheWire(t *testing.T) {
	for _, typ := range []identifier.Type{0, identifier.ACLHost + 1} {
		_, _, ok := typ.Limit()
		assert.False(t, ok)
		require.NoError(t, identifier.Check(typ, strings.Repeat("a", 32_767)))
		require.ErrorContains(t, identifier.Check(typ, strings.Repeat("a", 32_768)), "identifier type ")
	}
}

func TestAnErrorNeverHoldsTheName(t *testing.T) {
	for typ := range names {
		for _, n := range []int{4097, 40_000} {
			assert.NotContains(t, identifier.Check(typ, strings.Repeat("z", n)).Error(), "z")
		}
	}
}

func TestCharactersAreThoseOfJava(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		require.Equal(t, len(utf16.Encode([]rune(s))), identifier.Characters(s))
	})
}
