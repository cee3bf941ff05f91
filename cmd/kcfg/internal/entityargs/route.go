package entityargs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kcfg-go/kcfg"
)

// The keys of quotas (KIP-13, KIP-219, KIP-599, KIP-612).
var (
	clientQuotas = []string{"consumer_byte_rate", "controller_mutation_rate", "producer_byte_rate", "request_percentage"}
	ipQuotas     = []string{"connection_creation_rate"}
)

// Quota is a change of a quota.
type Quota struct {
	Key    string
	Value  float64
	Remove bool
}

// Plan is what is to be done, by the API that does it.
type Plan struct {
	Quotas  []Quota
	Dynamic []kcfg.Op // for Entity
	Configs []kcfg.ConfigOp

	Entity   kcfg.Entity
	Resource kcfg.Resource
}

// Route says which API does what: quotas are AlterClientQuotas, all else of users and
// their client ids is AlterClientConfigs (KIP-649), and what belongs to a resource is
// IncrementalAlterConfigs.
func (t Target) Route(ops []kcfg.ConfigOp) (Plan, error) {
	var p Plan
	if !t.OfClients() && t.Head().Type != IPs {
		p.Configs, p.Resource = ops, t.Resource()
		return p, nil
	}
	for _, op := range ops {
		var err error
		switch {
		case strings.HasPrefix(strings.ToUpper(op.Key), "SCRAM-"):
			err = fmt.Errorf("%s: kcfg does not handle credentials; use kafka-configs.sh", op.Key)
		case op.Kind > kcfg.OpDelete:
			err = fmt.Errorf("%s: quotas and client configurations are no lists; set or delete it", op.Key)
		case t.isQuota(op.Key):
			err = p.addQuota(op)
		case t.Head().Type == IPs:
			err = fmt.Errorf("%s: ips have quotas only: %s", op.Key, strings.Join(ipQuotas, ", "))
		default:
			p.Dynamic = append(p.Dynamic, kcfg.Op{Key: op.Key, Value: op.Value, Remove: op.Kind == kcfg.OpDelete})
		}
		if err != nil {
			return Plan{}, err
		}
	}
	if len(p.Dynamic) == 0 {
		return p, nil
	}
	var err error
	if p.Entity, err = t.Entity(); err != nil {
		return Plan{}, fmt.Errorf("%s: %w", p.Dynamic[0].Key, err)
	}
	return p, nil
}

func (t Target) isQuota(key string) bool {
	if t.Head().Type == IPs {
		return slices.Contains(ipQuotas, key)
	}
	return slices.Contains(clientQuotas, key)
}

func (p *Plan) addQuota(op kcfg.ConfigOp) error {
	q := Quota{Key: op.Key, Remove: op.Kind == kcfg.OpDelete}
	if !q.Remove {
		v, err := strconv.ParseFloat(strings.TrimSpace(op.Value), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: a quota is a number", op.Key)
		}
		q.Value = v
	}
	p.Quotas = append(p.Quotas, q)
	return nil
}

// Text is the value as it is written.
func (q Quota) Text() string { return Number(q.Value) }

// Number is how a quota's value is written.
func Number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
