package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// result gathers the ratios of one job.
type result struct {
	job         string
	first       []time.Duration // of bare kgo, for scale
	ratios      [][]float64     // by maker, of its time to that of the first
	connections []int           // by maker
}

func newResult(j job) result {
	n := len(j.makers)
	return result{job: j.name, ratios: make([][]float64, n), connections: make([]int, n)}
}

func (r *result) add(took []time.Duration, conns []int) {
	base := took[0].Seconds()
	r.first = append(r.first, took[0])
	for i := range took {
		r.ratios[i] = append(r.ratios[i], took[i].Seconds()/base)
		r.connections[i] += conns[i]
	}
}

// String is a line of the table in the README.
func (r result) String() string {
	slices.Sort(r.first)
	cells := []string{r.job, r.first[len(r.first)/2].Round(10 * time.Microsecond).String()}
	var conns []string
	for i, n := range r.connections {
		conns = append(conns, fmt.Sprint(n))
		if i > 0 {
			cells = append(cells, quartiles(r.ratios[i]))
		}
	}
	const columns = 4 // control, ours, override 1, override 0
	for len(cells) < 2+columns {
		cells = append(cells, "")
	}
	cells = append(cells, strings.Join(conns, " / "))
	return "| " + strings.Join(cells, " | ") + " |"
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
