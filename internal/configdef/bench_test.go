package configdef

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

func BenchmarkCollect(b *testing.B) {
	cl := newClient(b, kgo.ConsumerGroup("g"))
	b.Run("first", func(b *testing.B) { // with the reference client
		b.ReportAllocs()
		for b.Loop() {
			NewSource(cl).Collect(producer | consumer)
		}
	})
	b.Run("again", func(b *testing.B) {
		s := NewSource(cl)
		s.Collect(producer | consumer)
		b.ReportAllocs()
		for b.Loop() {
			s.Collect(producer | consumer)
		}
	})
	b.Run("share", func(b *testing.B) {
		s := NewSource(newClient(b, kgo.ShareGroup("g")))
		s.Collect(share)
		b.ReportAllocs()
		for b.Loop() {
			s.Collect(share)
		}
	})
}
