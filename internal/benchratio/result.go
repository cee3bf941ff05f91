package main

import (
	"fmt"
	"slices"
	"time"
)

// result gathers the ratios of one job.
type result struct {
	job           string
	control, ours []float64
	first         []time.Duration // of bare kgo, for scale
	connections   [3]int
}

func (r *result) add(took []time.Duration, conns []int) {
	base := took[0].Seconds()
	r.first = append(r.first, took[0])
	r.control = append(r.control, took[1].Seconds()/base)
	r.ours = append(r.ours, took[2].Seconds()/base)
	for i, n := range conns {
		r.connections[i] += n
	}
}

// String is a line of the table in the README.
func (r result) String() string {
	slices.Sort(r.first)
	return fmt.Sprintf("| %s | %v | %s | %s | %d / %d / %d |",
		r.job, r.first[len(r.first)/2].Round(10*time.Microsecond), quartiles(r.control), quartiles(r.ours),
		r.connections[0], r.connections[1], r.connections[2])
}

// quartiles shows the median and, in brackets, the first and third quartile.
func quartiles(v []float64) string {
	v = slices.Clone(v)
	slices.Sort(v)
	at := func(q float64) float64 {
		pos := q * float64(len(v)-1)
		i := int(pos)
		if i+1 == len(v) {
			return v[i]
		}
		return v[i] + (v[i+1]-v[i])*(pos-float64(i))
	}
	return fmt.Sprintf("%.3f [%.3f %.3f]", at(0.5), at(0.25), at(0.75))
}
