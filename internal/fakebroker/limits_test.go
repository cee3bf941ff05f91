package fakebroker

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/identifier"
)

// checked returns what is wrong with the names of a request as a broker reads it.
func checked(t *testing.T, cfg *config, req kmsg.Request) error {
	t.Helper()
	again := kmsg.RequestForKey(req.Key())
	again.SetVersion(req.GetVersion())
	require.NoError(t, again.ReadFrom(req.AppendTo(nil)))
	return cfg.checkNames("", again)
}

func TestEveryNameHasItsLimitInEveryVersion(t *testing.T) {
	t.Parallel()
	cfg, err := newConfig(nil)
	require.NoError(t, err)
	for _, n := range nameFields() {
		limit, _, _ := n.typ.Limit()
		seen := 0
		for v := range kmsg.RequestForKey(n.key).MaxVersion() + 1 {
			req := fullRequest(n.key, v)
			require.NoError(t, checked(t, &cfg, req), "%s v%d", n, v)
			if !n.set(req, nameOf(n.typ, limit)) {
				continue
			}
			seen++
			require.NoError(t, checked(t, &cfg, req), "%s v%d at the limit", n, v)
			n.set(req, nameOf(n.typ, limit+1))
			e, ok := errors.AsType[*cfgerrors.IdentifierTooLargeError](checked(t, &cfg, req))
			require.True(t, ok, "%s v%d above the limit", n, v)
			assert.Equal(t, n.typ.String(), e.Type)
			assert.Equal(t, limit+1, e.Length)
		}
		assert.Positive(t, seen, "%s", n)
	}
}

func TestTheKeyOfACoordinatorIsAGroupOrATransaction(t *testing.T) {
	t.Parallel()
	cfg, err := newConfig(nil)
	require.NoError(t, err)
	for v := range kmsg.NewPtrFindCoordinatorRequest().MaxVersion() + 1 {
		for typ, want := range map[int8]string{0: "group", 1: "transactional id", 2: ""} {
			if v == 0 && typ != 0 {
				continue
			}
			req := fullRequest(10, v).(*kmsg.FindCoordinatorRequest)
			req.CoordinatorType = typ
			req.CoordinatorKey, req.CoordinatorKeys = strings.Repeat("a", 250), []string{"a", strings.Repeat("a", 250)}
			err := checked(t, &cfg, req)
			if want == "" {
				require.NoError(t, err, "of share groups: a group, a topic and a partition")
				continue
			}
			require.ErrorContains(t, err, "the "+want+" identifier is too large: length 250, limit 249")
		}
	}
}

func TestARefusalSaysItEverywhereInEveryVersion(t *testing.T) {
	t.Parallel()
	cfg, err := newConfig(nil)
	require.NoError(t, err)
	require.Len(t, limitedKeys(), 22)
	tooLong := identifier.Check(identifier.Group, strings.Repeat("a", 250))
	for _, key := range limitedKeys() {
		for v := range kmsg.RequestForKey(key).MaxVersion() + 1 {
			req := fullRequest(key, v)
			resp := refusalOf(&cfg, req, tooLong)
			assert.Equal(t, key, resp.Key())
			assert.Equal(t, v, resp.GetVersion())
			codes := codesOf(t, resp)
			require.NotEmpty(t, codes)
			refused := 0
			for _, code := range codes {
				if code == kerr.InvalidRequest.Code {
					refused++
				} else {
					assert.Zero(t, code, "a field that the version has not")
				}
			}
			require.Positive(t, refused, "%s v%d", kmsg.NameForKey(key), v)
			for _, m := range fields[*string](reflect.ValueOf(resp), "ErrorMessage") {
				if *m == nil {
					continue // the field is not of this version
				}
				assert.NotContains(t, **m, "aaa", "a message does not hold the name")
				assert.Contains(t, **m, "length 250, limit 249")
			}
		}
	}
}

func TestACommitTellsWhichMetadataIsTooLarge(t *testing.T) {
	t.Parallel()
	cfg, err := newConfig([]Option{OffsetMetadataMaxBytes(10)})
	require.NoError(t, err)
	for _, key := range []int16{8, 28} {
		for v := range kmsg.RequestForKey(key).MaxVersion() + 1 {
			req := fullRequest(key, v)
			*fields[*string](reflect.ValueOf(req), "Metadata")[1] = new("\u00e9\u00e9\u00e9\u00e9\u00e9")
			require.NoError(t, checked(t, &cfg, req), "ten bytes")
			*fields[*string](reflect.ValueOf(req), "Metadata")[1] = new("\u00e9\u00e9\u00e9\u00e9\u00e9a")
			err := checked(t, &cfg, req)
			require.ErrorContains(t, err, "length 11, limit 10")
			assert.Equal(t, []int16{42, 12, 42, 42}, codesOf(t, refusalOf(&cfg, req, err)))
		}
	}
}

func TestTheLimitsAreOffButInTheModeOfKafka5(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		opts []Option
		want bool
	}{
		{nil, false},
		{[]Option{Kafka50()}, true},
		{[]Option{IdentifierLimits(true)}, true},
		{[]Option{IdentifierLimits(false)}, false},
		{[]Option{Kafka50(), IdentifierLimits(false)}, false},
		{[]Option{IdentifierLimits(false), Kafka50()}, false},
	} {
		cfg, err := newConfig(tt.opts)
		require.NoError(t, err)
		assert.Equal(t, tt.want, cfg.limited())
	}
	_, err := newConfig([]Option{OffsetMetadataMaxBytes(-1)})
	require.ErrorContains(t, err, "offset.metadata.max.bytes")
}
