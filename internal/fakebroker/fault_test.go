package fakebroker

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAFaultAppliesToWhatItNames(t *testing.T) {
	t.Parallel()
	ours := target{node: 1, key: 902, ours: true, answer: true}
	heartbeat := target{node: 1, key: 12, answer: true}
	silent := target{node: 1, key: 0} // a Produce with acks 0
	for _, tt := range []struct {
		name   string
		fault  Fault
		target target
		want   bool
	}{
		{"no key means ours", Fault{}, ours, true},
		{"no key means no other", Fault{}, heartbeat, false},
		{"a key", Fault{Keys: []int16{3, 12}}, heartbeat, true},
		{"another key", Fault{Keys: []int16{3}}, heartbeat, false},
		{"our key by number", Fault{Keys: []int16{902}}, ours, true},
		{"another key of ours", Fault{Keys: []int16{900}}, ours, false},
		{"a node", Fault{Nodes: []int32{0, 1}}, ours, true},
		{"another node", Fault{Nodes: []int32{0}}, ours, false},
		{"a code is for ours", Fault{Code: 7}, ours, true},
		{"a code is not for others", Fault{Keys: []int16{12}, Code: 7}, heartbeat, false},
		{"a throttle is not for others", Fault{Keys: []int16{12}, ThrottleMillis: 7}, heartbeat, false},
		{"no answer, nothing to delay", Fault{Keys: []int16{0}, Delay: time.Second}, silent, false},
		{"no answer to close behind", Fault{Keys: []int16{0}, Close: CloseAfterAnswer}, silent, false},
		{"no answer, but it can be dropped", Fault{Keys: []int16{0}, Drop: true}, silent, true},
		{"no answer, but it can close", Fault{Keys: []int16{0}, Close: CloseOnReceipt}, silent, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, tt.fault.applies(tt.target))
		})
	}
}

func TestAScriptTakesFaultsInOrder(t *testing.T) {
	t.Parallel()
	ours := target{key: 902, ours: true, answer: true}
	play := func(n int, faults ...Fault) (codes []int16, left int) {
		c := &Cluster{}
		c.Script(faults...)
		for range n {
			var code int16
			if f := c.script.take(ours); f != nil {
				code = f.Code
			}
			codes = append(codes, code)
		}
		return codes, c.ClearScript()
	}
	for _, tt := range []struct {
		name   string
		faults []Fault
		want   []int16
		left   int
	}{
		{"none", nil, []int16{0, 0}, 0},
		{"one", []Fault{{Code: 1}}, []int16{1, 0}, 0},
		{"a queue", []Fault{{Code: 1}, {Code: 2}}, []int16{1, 2, 0}, 0},
		{"the third", []Fault{{Code: 1, Nth: 3}}, []int16{0, 0, 1, 0}, 0},
		{"two", []Fault{{Code: 1, Count: 2}, {Code: 2}}, []int16{1, 1, 2, 0}, 0},
		{"two from the second", []Fault{{Code: 1, Nth: 2, Count: 2}}, []int16{0, 1, 1, 0}, 0},
		{"all", []Fault{{Code: 1, Count: -1}, {Code: 2}}, []int16{1, 1, 1, 1}, 2},
		{"all from the second", []Fault{{Code: 1, Nth: 2, Count: -1}}, []int16{0, 1, 1}, 1},
		{"one that waits lets others see", []Fault{{Code: 1, Nth: 3}, {Code: 2, Count: 2}}, []int16{2, 2, 1, 0}, 0},
		{"one that takes hides from others", []Fault{{Code: 1}, {Code: 2, Nth: 2}}, []int16{1, 0, 2}, 0},
		{"not for us", []Fault{{Code: 1, Nodes: []int32{9}}, {Code: 2}}, []int16{2, 0}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			codes, left := play(len(tt.want), tt.faults...)
			require.Equal(t, tt.want, codes)
			require.Equal(t, tt.left, left)
		})
	}
}

func TestDamageLeavesTheFrameItself(t *testing.T) {
	t.Parallel()
	frame := []byte{0, 0, 0, 6, 0, 0, 0, 1, 8, 9}
	for _, tt := range []struct {
		name  string
		fault *Fault
		want  []byte
	}{
		{"no fault", nil, frame},
		{"a fault that does no damage", &Fault{}, frame},
		{"garbage", &Fault{Garbage: []byte{7, 7, 7}}, []byte{0, 0, 0, 7, 0, 0, 0, 1, 7, 7, 7}},
		{"short garbage", &Fault{Garbage: []byte{}}, []byte{0, 0, 0, 4, 0, 0, 0, 1}},
		{"correlation", &Fault{WrongCorrelation: true}, []byte{0, 0, 0, 6, 255, 255, 255, 254, 8, 9}},
		{"truncated", &Fault{Truncate: 9}, []byte{0, 0, 0, 6, 0, 0, 0, 1, 8}},
		{"truncated behind the end", &Fault{Truncate: 99}, frame},
		{"all", &Fault{Garbage: []byte{7}, WrongCorrelation: true, Truncate: 5}, []byte{0, 0, 0, 5, 255}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := bytes.Clone(frame)
			require.Equal(t, tt.want, tt.fault.damage(frame))
			require.Equal(t, before, frame)
		})
	}
}
