package fakebroker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
)

var (
	_ ClientConfigPolicy = PolicyFunc(nil)
	_ ClientConfigPolicy = (*LogPolicy)(nil)
	_ ClientConfigPolicy = (*RecordPolicy)(nil)
)

// PolicyFunc is a function as a policy.
type PolicyFunc func(ctx context.Context, rc RequestContext, configs ClientConfigs) error

// Process calls the function.
func (f PolicyFunc) Process(ctx context.Context, rc RequestContext, configs ClientConfigs) error {
	return f(ctx, rc, configs)
}

// LogPolicy accepts every push and logs who sent it and which keys it has. It
// does not log values.
type LogPolicy struct {
	// Logger gets one record at Info for each push; nil means slog.Default.
	Logger *slog.Logger
}

// Process logs the push.
func (p *LogPolicy) Process(ctx context.Context, rc RequestContext, configs ClientConfigs) error {
	logger := p.Logger
	if logger == nil {
		logger = slog.Default()
	}
	keys := make([]string, 0, len(configs.Entries))
	for _, e := range configs.Entries {
		keys = append(keys, e.Key)
	}
	logger.InfoContext(ctx, "client pushed its configuration",
		"node", rc.NodeID,
		"principal", rc.Principal,
		"client.id", rc.ClientID,
		"address", rc.ClientAddress,
		"software", rc.SoftwareName+"/"+rc.SoftwareVersion,
		"keys", keys)
	return nil
}

// PolicyCall is one call of a RecordPolicy.
type PolicyCall struct {
	Context RequestContext
	Configs ClientConfigs
}

// RecordPolicy accepts every push and keeps it. The zero value is ready.
type RecordPolicy struct {
	mu    sync.Mutex
	calls []PolicyCall
}

// Process keeps the push.
func (p *RecordPolicy) Process(_ context.Context, rc RequestContext, configs ClientConfigs) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, PolicyCall{Context: rc, Configs: configs})
	return nil
}

// Calls returns the pushes so far, in the order in which they came.
func (p *RecordPolicy) Calls() []PolicyCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.calls)
}
