package configdef

import (
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"
)

// plugin holds a Source as the plugin of package client does.
type plugin struct{ source atomic.Pointer[Source] }

func (p *plugin) OnNewClient(cl *kgo.Client) { p.source.Store(NewSource(cl)) }
func (p *plugin) ConfigSource() *Source      { return p.source.Load() }

var _ SourceHolder = (*plugin)(nil)

// bystander is any other hook.
type bystander struct{}

func (bystander) OnNewClient(*kgo.Client) {}

func TestSourceOfFindsTheOneThatAHookHolds(t *testing.T) {
	p := &plugin{}
	cl := newClient(t, kgo.WithHooks(bystander{}), kgo.WithHooks([]kgo.Hook{bystander{}, p}))
	assert.NotNil(t, p.source.Load())
	assert.Same(t, p.source.Load(), SourceOf(cl))
	first, second := SourceOf(cl), SourceOf(cl)
	assert.Same(t, first, second)
}

func TestSourceOfABareClientIsNew(t *testing.T) {
	cl := newClient(t, kgo.WithHooks(bystander{}))
	s := SourceOf(cl)
	assert.NotSame(t, s, SourceOf(cl))
	assert.Equal(t, NewSource(cl).Collect(producer), s.Collect(producer))
}

func TestSourceOfPassesOverTheSourceOfAnotherClient(t *testing.T) {
	p := &plugin{}
	first := newClient(t, kgo.WithHooks(p), kgo.ClientID("first"))
	second := newClient(t, kgo.WithHooks(p), kgo.ClientID("second"))
	for cl, want := range map[*kgo.Client]string{first: "first", second: "second"} {
		e, _ := SourceOf(cl).Read("client.id", producer)
		assert.Equal(t, want, e.Value)
	}
	p.source.Store(nil)
	e, _ := SourceOf(first).Read("client.id", producer)
	assert.Equal(t, "first", e.Value, "a holder may have none")
}
