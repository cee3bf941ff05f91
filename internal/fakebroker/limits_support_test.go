package fakebroker

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg/internal/identifier"
)

// limitedKeys are the requests of Kafka's own whose names are looked at.
func limitedKeys() (out []int16) {
	for key := range int16(kmsg.MaxKey) + 1 {
		if hasNames(key) {
			out = append(out, key)
		}
	}
	return out
}

// fill makes every slice in a value two long and every string "name".
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf(new("name")))
		} else if !v.IsNil() {
			fill(v.Elem())
		}
	case reflect.String:
		v.SetString("name")
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Name != "UnknownTags" && f.Type.Kind() != reflect.Map {
				fill(v.Field(i))
			}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i))
		}
	}
}

// fullRequest returns a request with two of everything.
func fullRequest(key, version int16) kmsg.Request {
	req := kmsg.RequestForKey(key)
	fill(reflect.ValueOf(req))
	req.SetVersion(version)
	return req
}

// fields returns pointers to the fields of a value that have a name and a type.
func fields[T any](v reflect.Value, name string) (out []*T) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			out = fields[T](v.Elem(), name)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			if p, ok := reflect.TypeAssert[*T](v.Field(i).Addr()); ok && f.Name == name {
				out = append(out, p)
			}
			out = append(out, fields[T](v.Field(i), name)...)
		}
	case reflect.Slice:
		for i := range v.Len() {
			out = append(out, fields[T](v.Index(i), name)...)
		}
	}
	return out
}

// codesOf returns the error codes of an answer, those that its version has.
func codesOf(t testing.TB, resp kmsg.Response) (out []int16) {
	t.Helper()
	again := kmsg.ResponseForKey(resp.Key())
	again.SetVersion(resp.GetVersion())
	require.NoError(t, again.ReadFrom(resp.AppendTo(nil)))
	for _, p := range fields[int16](reflect.ValueOf(again), "ErrorCode") {
		out = append(out, *p)
	}
	return out
}

// nameField is a field of requests with a name.
type nameField struct {
	key      int16
	field    string
	typ      identifier.Type
	from, to int16 // versions that have it, both included
}

const newest int16 = 1000

// nameFields are all fields with a limit, as the documentation of the package has them.
func nameFields() []nameField {
	const (
		topic, group, instance = identifier.Topic, identifier.Group, identifier.GroupInstance
		txn, rack, resource    = identifier.TransactionalID, identifier.Rack, identifier.ConfigResource
	)
	out := []nameField{
		{0, "TransactionID", txn, 3, newest},
		{0, "Topic", topic, 0, 12},
		{1, "Rack", rack, 11, newest},
		{8, "Group", group, 0, newest},
		{8, "InstanceID", instance, 7, newest},
		{8, "Topic", topic, 0, 9},
		{8, "Metadata", identifier.OffsetMetadata, 0, newest},
		{9, "Group", group, 0, newest},
		{9, "Topic", topic, 0, 9},
		{10, "CoordinatorKey", group, 0, 3},
		{11, "Group", group, 0, newest},
		{11, "InstanceID", instance, 5, newest},
		{12, "Group", group, 0, newest},
		{12, "InstanceID", instance, 3, newest},
		{13, "Group", group, 0, newest},
		{13, "InstanceID", instance, 3, newest},
		{14, "Group", group, 0, newest},
		{14, "InstanceID", instance, 3, newest},
		{22, "TransactionalID", txn, 0, newest},
		{24, "TransactionalID", txn, 0, newest},
		{24, "Topic", topic, 0, newest},
		{28, "TransactionalID", txn, 0, newest},
		{28, "Group", group, 0, newest},
		{28, "InstanceID", instance, 3, newest},
		{28, "Topic", topic, 0, 5},
		{28, "Metadata", identifier.OffsetMetadata, 0, newest},
		{68, "Group", group, 0, newest},
		{68, "MemberID", identifier.Member, 1, newest},
		{68, "InstanceID", instance, 0, newest},
		{68, "RackID", rack, 0, newest},
		{76, "GroupID", group, 0, newest},
		{76, "MemberID", identifier.Member, 0, newest},
		{76, "RackID", rack, 0, newest},
	}
	for _, key := range []int16{32, 33, 44} {
		out = append(out, nameField{key, "ResourceName", resource, 0, newest})
	}
	for _, key := range []int16{29, 30, 31} {
		out = append(out,
			nameField{key, "ResourceName", identifier.ACLResource, 0, newest},
			nameField{key, "Principal", identifier.ACLPrincipal, 0, newest},
			nameField{key, "Host", identifier.ACLHost, 0, newest},
		)
	}
	return out
}

// set sets the field in a request, and returns false if its version has none.
func (n nameField) set(req kmsg.Request, value string) bool {
	if v := req.GetVersion(); v < n.from || v > n.to {
		return false
	}
	set := false
	for _, p := range fields[string](reflect.ValueOf(req), n.field) {
		*p, set = value, true
	}
	for _, p := range fields[*string](reflect.ValueOf(req), n.field) {
		*p, set = &value, true
	}
	return set
}

func (n nameField) String() string { return fmt.Sprintf("%s of %s", n.field, kmsg.NameForKey(n.key)) }

// nameOf returns a name of a length in the unit of its type's limit, of characters with
// several bytes if they can be.
func nameOf(t identifier.Type, n int) string {
	if _, bytes, _ := t.Limit(); bytes {
		return strings.Repeat("\u00e9", n/2) + strings.Repeat("a", n%2)
	}
	return strings.Repeat("\U0001f600", n/2) + strings.Repeat("\u6f22", n%2)
}
