package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

func TestPassingIsWhatMayGoBetterLater(t *testing.T) {
	for _, err := range []error{
		ErrNoBroker, io.EOF, net.ErrClosed, &kgo.ErrFirstReadEOF{}, context.Canceled, context.DeadlineExceeded,
		cfgerrors.FromCode(kerr.RequestTimedOut.Code, ""),
	} {
		assert.True(t, Passing(err), "%v", err)
		assert.True(t, Passing(fmt.Errorf("to broker 1: %w", err)), "%v, wrapped", err)
	}
	for _, err := range []error{
		nil, cfgerrors.ErrUnsupported, cfgerrors.ErrClosed, ErrBadAnswer, errors.New("what"),
		cfgerrors.FromCode(kerr.InvalidConfig.Code, ""), cfgerrors.FromCode(kerr.UnsupportedVersion.Code, ""),
		cfgerrors.FromCode(cfgerrors.CodeConfigTooLarge, ""),
	} {
		assert.False(t, Passing(err), "%v", err)
	}
}
