package client

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
)

// rightsOn names the resource on which Kafka asks for rights.
func rightsOn(r kcfg.Resource) string {
	switch r.Type() {
	case kcfg.ResourceTopic, kcfg.ResourceGroup:
		return r.String()
	}
	return "cluster"
}

// checkResource says why a resource, which comes so often, is not asked about.
func (a *Admin) checkResource(r kcfg.Resource, times int) error {
	switch {
	case r.IsZero(), r.Type() == kcfg.ResourceClient && r.Entity().IsZero():
		return errors.New("client: no resource is named")
	case times > 1:
		return cfgerrors.ErrDuplicateResource
	}
	if err := checkText("resource name", r.Name()); err != nil {
		return err
	}
	return a.checkName(r.Type().String(), IdentifierConfigResource, r.Name())
}

// checkText refuses what no Kafka string can hold: it would be cut, and so be
// something else.
func checkText(what, s string) error {
	switch {
	case len(s) > math.MaxInt16:
		return &cfgerrors.IdentifierTooLargeError{Type: what, Length: len(s), Limit: math.MaxInt16}
	case !utf8.ValidString(s):
		return fmt.Errorf("client: the %s is not UTF-8", what)
	}
	return nil
}

// checkOps says why operations are not sent.
func checkOps(r kcfg.Resource, ops []kcfg.ConfigOp, how alterMode) error {
	for _, op := range ops {
		if err := checkText("config key", op.Key); err != nil {
			return err
		}
		if err := checkText("config value", op.Value); err != nil {
			return err
		}
		invalid := func(why string) error {
			return cfgerrors.Refused(kerr.InvalidConfig.Code, fmt.Sprintf("config %q: %s", op.Key, why))
		}
		switch {
		case op.Kind < kcfg.OpSet || op.Kind > kcfg.OpSubtract:
			return invalid("there is no operation " + op.Kind.String())
		case how.replaceAll && op.Kind != kcfg.OpSet:
			return invalid("where all are replaced there is nothing but set")
		case r.Type() == kcfg.ResourceClient && op.Kind > kcfg.OpDelete:
			return invalid("client configurations are no lists: set or delete it")
		}
	}
	if how.replaceAll && r.Type() == kcfg.ResourceClient {
		return cfgerrors.Refused(kerr.InvalidConfig.Code, "client configurations are not replaced as a whole: set or delete them")
	}
	return nil
}

func count(all []kcfg.Resource, r kcfg.Resource) (n int) {
	for _, one := range all {
		if one == r {
			n++
		}
	}
	return n
}

// resourcesOf are the resources that a request is about.
func resourcesOf(req kmsg.Request) []kcfg.Resource {
	var out []kcfg.Resource
	add := func(t kmsg.ConfigResourceType, name string) {
		out = append(out, kcfg.ResourceOf(kcfg.ResourceType(t), name))
	}
	switch req := req.(type) {
	case *kmsg.DescribeConfigsRequest:
		for _, r := range req.Resources {
			add(r.ResourceType, r.ResourceName)
		}
	case *kmsg.IncrementalAlterConfigsRequest:
		for _, r := range req.Resources {
			add(r.ResourceType, r.ResourceName)
		}
	case *kmsg.AlterConfigsRequest:
		for _, r := range req.Resources {
			add(r.ResourceType, r.ResourceName)
		}
	}
	return out
}
