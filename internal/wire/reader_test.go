package wire

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kbin"
)

// A message that is not flexible has no tag section that would notice that a
// fixed field before it did not fit.
func TestABodyThatEndsInAFixedFieldIsAnError(t *testing.T) {
	r := newReader("SomeRequest", []byte{1, 2, 3})
	r.Int32()
	err := r.complete()
	assert.ErrorIs(t, err, kbin.ErrNotEnoughData)
	assert.ErrorContains(t, err, "wire: SomeRequest: ")
}

func TestTheFirstErrorIsTheOneThatCounts(t *testing.T) {
	r := newReader("SomeRequest", []byte{0, 0})
	r.compactString("First")
	r.compactString("Second")
	r.compactArrayLen("Third", 1)
	r.tags("Fourth")
	assert.EqualError(t, r.complete(), "wire: SomeRequest: First is null")
}

func TestABodyThatIsReadToItsEndIsNoError(t *testing.T) {
	r := newReader("SomeRequest", []byte{3, 'a', 'b', 0, 0})
	assert.Equal(t, "ab", r.compactString("Name"))
	_, ok := r.compactNullableString("Message")
	assert.False(t, ok)
	r.tags("SomeRequest")
	assert.NoError(t, r.complete())
}
