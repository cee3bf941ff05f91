package dynconfig

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/connpatch"
)

// The loop begins, to clean up, as soon as the context is over, and that may be before
// New is done.
func TestAContextThatIsOverAlreadyEndsAPollerThatIsBeingMade(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 1000 {
		p := New(ctx, Config{
			Fetch: func(context.Context, []string, ...int32) ([]kcfg.Described, int32, error) {
				return nil, NoNode, nil
			},
			Apply:    func(connpatch.Patches) {},
			Observed: func() connpatch.Observed { return connpatch.Observed{} },
			Static:   func() Static { return Static{} },
			Limits:   func() Limits { return Limits{} },
		})
		<-p.Done()
		<-p.Ready()
		assert.Equal(t, kcfg.DynamicClosed, p.Status().State)
	}
}
