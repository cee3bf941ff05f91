package sensitive_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kcfg-go/kcfg/sensitive"
)

var allReasons = []sensitive.Reason{
	sensitive.NotSensitive, sensitive.ReasonPrefix, sensitive.ReasonInfix, sensitive.ReasonSuffix,
	sensitive.ReasonType, sensitive.ReasonCustom, sensitive.ReasonCharacters, sensitive.ReasonWord,
	sensitive.ReasonValue, sensitive.ReasonTooLong, sensitive.ReasonEncoding,
}

func TestTheZeroReasonIsNotSensitive(t *testing.T) {
	require.Equal(t, sensitive.NotSensitive, sensitive.Reason(0))
}

func TestEveryReasonHasATextOfItsOwnThatFitsALogLine(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range allReasons {
		text := r.String()
		require.Regexp(t, `^[ -~]{5,60}$`, text)
		require.NotRegexp(t, `^reason \d`, text)
		require.False(t, seen[text], "twice: %s", text)
		seen[text] = true
	}
}

func TestAReasonThatDoesNotExistPrintsItsNumber(t *testing.T) {
	require.Equal(t, "reason 11", sensitive.Reason(11).String())
	require.Equal(t, "reason 255", sensitive.Reason(255).String())
}

func TestAReasonReadsTheSameInJSONAsInALog(t *testing.T) {
	for _, r := range allReasons {
		got, err := json.Marshal(map[sensitive.Reason]sensitive.Reason{r: r})
		require.NoError(t, err)
		require.JSONEq(t, `{"`+r.String()+`":"`+r.String()+`"}`, string(got))
	}
}
