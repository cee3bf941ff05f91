package pushconfig

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/sensitive"
)

// The loop begins, to clean up, as soon as the context is over, and that may be before
// New is done.
func TestAContextThatIsOverAlreadyEndsAPusherThatIsBeingMade(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 1000 {
		p := New(ctx, Config{
			Entries: func() []sensitive.Entry { return nil },
			Push:    func(context.Context, []sensitive.Clean, ...int32) (int32, error) { return NoNode, nil },
			Limits:  func() Limits { return Limits{} },
		})
		<-p.Done()
		assert.Equal(t, kcfg.PushClosed, p.Status().State)
	}
}
