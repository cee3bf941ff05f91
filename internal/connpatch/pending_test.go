package connpatch

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func requestWith(corr int32, ours bool) request {
	return request{header: header{corr: corr, key: int16(corr % 100)}, answered: true, ours: ours}
}

func TestAnswersComeInTheOrderOfTheRequests(t *testing.T) {
	var p pending
	for corr := range int32(3) {
		p.push(requestWith(corr, false))
	}
	for corr := range int32(3) {
		r, dropped, ok := p.answer(corr)
		assert.True(t, ok)
		assert.Zero(t, dropped)
		assert.Equal(t, requestWith(corr, false), r)
	}
	assert.Zero(t, p.len())
}

func TestAnAnswerDropsTheRequestsBeforeIt(t *testing.T) {
	var p pending
	for corr := range int32(5) {
		p.push(requestWith(corr, corr < 4))
	}
	_, dropped, ok := p.answer(3)
	assert.True(t, ok)
	assert.Equal(t, 3, dropped)
	assert.Equal(t, 1, p.len())
	assert.Zero(t, p.ours, "the dropped ones were ours")
	_, _, ok = p.answer(1)
	assert.False(t, ok)
}

func TestAnAnswerThatNobodyWaitsForChangesNothing(t *testing.T) {
	var p pending
	p.push(requestWith(1, true))
	r, dropped, ok := p.answer(2)
	assert.False(t, ok)
	assert.Zero(t, dropped)
	assert.Zero(t, r)
	assert.Equal(t, 1, p.len())
	assert.Equal(t, 1, p.ours)
}

func TestTheBrokerIsBlockedByOursOnlyIfItIsTheOldest(t *testing.T) {
	var p pending
	assert.False(t, p.blocked())
	p.push(requestWith(0, false))
	p.push(requestWith(1, true))
	p.push(requestWith(2, false))
	assert.False(t, p.blocked())
	p.answer(0)
	assert.True(t, p.blocked())
	p.answer(1)
	assert.False(t, p.blocked())
}

func TestPendingStaysSmallIfItIsNeverEmpty(t *testing.T) {
	for _, inFlight := range []int32{1, 5, 100} {
		var p pending
		for corr := range inFlight {
			p.push(requestWith(corr, false))
		}
		for corr := inFlight; corr < 100_000; corr++ {
			p.push(requestWith(corr, false))
			_, dropped, ok := p.answer(corr - inFlight)
			require.True(t, ok)
			require.Zero(t, dropped)
		}
		assert.EqualValues(t, inFlight, p.len())
		assert.LessOrEqual(t, cap(p.q), 4*int(inFlight)+4, "%d in flight", inFlight)
	}
}

func TestPendingDoesWhatASimpleQueueDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p pending
		var model []request
		next := int32(0)
		t.Repeat(map[string]func(*rapid.T){
			"push": func(t *rapid.T) {
				r := requestWith(next, rapid.Bool().Draw(t, "ours"))
				next += rapid.Int32Range(1, 2).Draw(t, "step")
				p.push(r)
				model = append(model, r)
			},
			"answer": func(t *rapid.T) {
				corr := rapid.Int32Range(max(0, next-6), next).Draw(t, "corr")
				i := slices.IndexFunc(model, func(r request) bool { return r.corr == corr })
				r, dropped, ok := p.answer(corr)
				require.Equal(t, i >= 0, ok)
				if i < 0 {
					return
				}
				require.Equal(t, model[i], r)
				require.Equal(t, i, dropped)
				model = model[i+1:]
			},
			"": func(t *rapid.T) {
				ours := 0
				for _, r := range model {
					if r.ours {
						ours++
					}
				}
				require.Equal(t, len(model), p.len())
				require.Equal(t, ours, p.ours)
				require.Equal(t, len(model) > 0 && model[0].ours, p.blocked())
			},
		})
	})
}
