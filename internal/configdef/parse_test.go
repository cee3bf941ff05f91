package configdef

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kcfg-go/kcfg/sensitive"
)

const (
	errBool   = "configdef: a value of type BOOLEAN is neither true nor false"
	errInt    = "configdef: a value of type INT is not a number in its range"
	errShort  = "configdef: a value of type SHORT is not a number in its range"
	errLong   = "configdef: a value of type LONG is not a number in its range"
	errDouble = "configdef: a value of type DOUBLE is not a number in its range"
	errClass  = "configdef: a value of type CLASS is not parsed"
)

func TestValuesAreParsedAsConfigDefDoes(t *testing.T) {
	for _, c := range []struct {
		typ   sensitive.Type
		value string
		want  any
		err   string
	}{
		{sensitive.Boolean, "true", true, ""},
		{sensitive.Boolean, " FALSE\t", false, ""},
		{sensitive.Boolean, "True", true, ""},
		{sensitive.Boolean, "", false, errBool},
		{sensitive.Boolean, "1", false, errBool},
		{sensitive.Boolean, "t", false, errBool},
		{sensitive.Boolean, "yes", false, errBool},

		{sensitive.Int, "2147483647", int32(math.MaxInt32), ""},
		{sensitive.Int, "-2147483648", int32(math.MinInt32), ""},
		{sensitive.Int, " +5 ", int32(5), ""},
		{sensitive.Int, "007", int32(7), ""},
		{sensitive.Int, "2147483648", nil, errInt},
		{sensitive.Int, "-2147483649", nil, errInt},
		{sensitive.Int, "", nil, errInt},
		{sensitive.Int, "1.0", nil, errInt},
		{sensitive.Int, "1e3", nil, errInt},
		{sensitive.Int, "0x10", nil, errInt},
		{sensitive.Int, "1_000", nil, errInt},
		{sensitive.Int, "1 0", nil, errInt},
		{sensitive.Int, "+-1", nil, errInt},

		{sensitive.Short, "32767", int16(math.MaxInt16), ""},
		{sensitive.Short, "-32768", int16(math.MinInt16), ""},
		{sensitive.Short, "32768", nil, errShort},
		{sensitive.Long, "9223372036854775807", int64(math.MaxInt64), ""},
		{sensitive.Long, "-9223372036854775808", int64(math.MinInt64), ""},
		{sensitive.Long, "9223372036854775808", nil, errLong},
		{sensitive.Long, "12L", nil, errLong},

		{sensitive.Double, "0.80", 0.8, ""},
		{sensitive.Double, "-1", -1.0, ""},
		{sensitive.Double, "+1.5e3", 1500.0, ""},
		{sensitive.Double, "-.5", -0.5, ""},
		{sensitive.Double, "1.", 1.0, ""},
		{sensitive.Double, "5d", 5.0, ""},
		{sensitive.Double, "5F", 5.0, ""},
		{sensitive.Double, "0x1p3", 8.0, ""},
		{sensitive.Double, "-0x1.8P1d", -3.0, ""},
		{sensitive.Double, "Infinity", math.Inf(1), ""},
		{sensitive.Double, "-Infinity", math.Inf(-1), ""},
		{sensitive.Double, "1e999", math.Inf(1), ""},
		{sensitive.Double, "-1e999", math.Inf(-1), ""},
		{sensitive.Double, "1e-999", 0.0, ""},
		{sensitive.Double, "inf", nil, errDouble},
		{sensitive.Double, "nan", nil, errDouble},
		{sensitive.Double, "infinity", nil, errDouble},
		{sensitive.Double, "0x1f", nil, errDouble},
		{sensitive.Double, "0x", nil, errDouble},
		{sensitive.Double, "1_0", nil, errDouble},
		{sensitive.Double, "0x_1p3", nil, errDouble},
		{sensitive.Double, "5dd", nil, errDouble},
		{sensitive.Double, "d", nil, errDouble},
		{sensitive.Double, "", nil, errDouble},
		{sensitive.Double, "-", nil, errDouble},
		{sensitive.Double, "--1", nil, errDouble},
		{sensitive.Double, "1-1", nil, errDouble},
		{sensitive.Double, "1,5", nil, errDouble},

		{sensitive.List, "", []string{}, ""},
		{sensitive.List, " \t\n ", []string{}, ""},
		{sensitive.List, "a", []string{"a"}, ""},
		{sensitive.List, " a , b,c ", []string{"a", "b", "c"}, ""},
		{sensitive.List, "a,,b,", []string{"a", "", "b", ""}, ""},
		{sensitive.List, "a, ,b", []string{"a", "", "b"}, ""},
		{sensitive.List, "a b , c", []string{"a b", "c"}, ""},
		{sensitive.List, ",", []string{"", ""}, ""},

		{sensitive.String, "", "", ""},
		{sensitive.String, " a b \n", "a b", ""},
		{sensitive.String, "\x00a\x1f", "a", ""},
		{sensitive.String, "\u00a0a", "\u00a0a", ""}, // Java's trim knows ASCII only

		{sensitive.Class, "java.lang.String", nil, errClass},
		{sensitive.Password, "p", nil, "configdef: a value of type PASSWORD is not parsed"},
		{sensitive.Unknown, "x", nil, "configdef: a value of type UNKNOWN is not parsed"},
		{sensitive.Type(42), "x", nil, "configdef: a value of type UNKNOWN(42) is not parsed"},
	} {
		got, err := Parse(c.typ, c.value)
		if c.err != "" {
			assert.EqualError(t, err, c.err, "%s %q", c.typ, c.value)
			continue
		}
		require.NoError(t, err, "%s %q", c.typ, c.value)
		assert.Equal(t, c.want, got, "%s %q", c.typ, c.value)
	}

	nan, err := Parse(sensitive.Double, "-NaN")
	require.NoError(t, err)
	assert.True(t, math.IsNaN(nan.(float64)))
	zero, err := Parse(sensitive.Double, "-0.0")
	require.NoError(t, err)
	assert.True(t, math.Signbit(zero.(float64)))
}

func TestParsedValueHasTheTypeEvenOnError(t *testing.T) {
	for typ, want := range map[sensitive.Type]any{
		sensitive.Int: int32(0), sensitive.Short: int16(0), sensitive.Long: int64(0), sensitive.Double: 0.0, sensitive.Boolean: false,
	} {
		got, err := Parse(typ, "secret")
		require.Error(t, err)
		assert.Equal(t, want, got)
	}
}

func TestNumbersAndListsSurviveParsing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64().Draw(t, "n")
		got, err := Parse(sensitive.Long, strconv.FormatInt(n, 10))
		require.NoError(t, err)
		require.Equal(t, n, got)

		f := rapid.Float64().Draw(t, "f")
		got, err = Parse(sensitive.Double, strconv.FormatFloat(f, 'g', -1, 64))
		require.NoError(t, err)
		parsed, ok := got.(float64)
		require.True(t, ok)
		require.Equal(t, math.Float64bits(f), math.Float64bits(parsed))

		list := rapid.SliceOfN(rapid.StringMatching(`[a-z0-9.:]{1,8}`), 1, 5).Draw(t, "list")
		got, err = Parse(sensitive.List, strings.Join(list, ","))
		require.NoError(t, err)
		require.Equal(t, list, got)
	})
}

// FuzzParse looks for a panic, for an error that depends on more than the type
// (and so could show the value), and for a result of another type.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "true", "-1", "1e5", "0x1p3", "a,b", " NaN ", "\xff", "123456789012345678901234567890"} {
		for typ := sensitive.Unknown; typ <= sensitive.Password+1; typ++ {
			f.Add(int8(typ), s)
		}
	}
	f.Fuzz(func(t *testing.T, n int8, value string) {
		typ := sensitive.Type(n)
		got, err := Parse(typ, value)
		if err != nil {
			for _, want := range []string{
				"configdef: a value of type " + typ.String() + " is not parsed",
				"configdef: a value of type " + typ.String() + " is not a number in its range",
				errBool,
			} {
				if err.Error() == want {
					return
				}
			}
			t.Fatalf("error %q", err)
		}
		ok := false
		switch typ {
		case sensitive.Boolean:
			_, ok = got.(bool)
		case sensitive.String:
			_, ok = got.(string)
		case sensitive.Int:
			_, ok = got.(int32)
		case sensitive.Short:
			_, ok = got.(int16)
		case sensitive.Long:
			_, ok = got.(int64)
		case sensitive.Double:
			_, ok = got.(float64)
		case sensitive.List:
			var list []string
			if list, ok = got.([]string); ok {
				again, err := Parse(typ, strings.Join(list, ","))
				if err != nil || len(again.([]string)) != len(list) {
					t.Fatalf("%q became %q", list, again)
				}
			}
		default:
		}
		if !ok {
			t.Fatalf("%s gave a %T", typ, got)
		}
	})
}
