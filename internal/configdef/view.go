package configdef

import (
	"reflect"

	"github.com/kcfg-go/kcfg"
)

// Why a key was left out. None of these shows a value.
const (
	faultShape = "this version of kgo answers for an option in a form that the table does not know"
	faultPanic = "a function that the application gave to kgo panicked"
)

// A view is one look at a client's options, made for one key.
type view struct {
	opts   func(opt any) []any // kgo.Client.OptValues
	limits fetchLimits
	seeds  []string  // nil unless they were changed
	kind   kcfg.Kind // the kinds that the key is read for, for keys with two meanings

	fault string // why what was read means nothing
	skip  string // why an operator should hear that the key is left out
}

// fail records the first fault.
func (v *view) fail(why string) {
	if v.fault == "" {
		v.fault = why
	}
}

// guard runs f, which may call into code of the application. What it panics
// with may hold anything and is dropped.
func (v *view) guard(f func()) {
	defer func() {
		if recover() != nil {
			v.fail(faultPanic)
			v.skip = faultPanic
		}
	}()
	f()
}

// raw returns the first value of an option, which may be nil, and false if kgo
// does not know the option.
func (v *view) raw(opt any) (any, bool) {
	var vs []any
	v.guard(func() { vs = v.opts(opt) })
	if len(vs) == 0 {
		v.fail(faultShape)
		return nil, false
	}
	return vs[0], true
}

// get returns the first value of an option that is a T: exactly a T, since kgo
// widens and unwraps (FetchIsolationLevel is an int8, RequestRetries an int64)
// and a conversion would hide that it began to do otherwise.
func get[T any](v *view, opt any) (t T) {
	a, ok := v.raw(opt)
	if !ok {
		return t
	}
	t, ok = a.(T)
	if !ok {
		v.fail(faultShape)
	}
	return t
}

// code returns the code pointer of a function option. All closures of one
// function literal have the same, so this tells kgo's own default function
// from any other without calling either.
func code(v *view, opt any) uintptr {
	a, ok := v.raw(opt)
	if !ok {
		return 0
	}
	f := reflect.ValueOf(a)
	if f.Kind() != reflect.Func {
		v.fail(faultShape)
		return 0
	}
	return f.Pointer()
}
