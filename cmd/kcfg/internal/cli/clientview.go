package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
	"github.com/kcfg-go/kcfg/fleet"
)

// clientView is a client as programs are shown it.
type clientView struct {
	Instance   string        `json:"instance"`
	Principal  *string       `json:"principal"` // null if the client does not know its own
	ClientID   string        `json:"clientId"`
	Group      string        `json:"group"`
	Kinds      kcfg.Kind     `json:"kinds"`
	Software   kcfg.Software `json:"software"`
	Host       string        `json:"host"`
	Since      time.Time     `json:"since"`
	At         time.Time     `json:"at"`
	Stale      bool          `json:"stale"`
	Deviations []configView  `json:"deviations"`
	// Dynamic has no keys that are static, but in show.
	Dynamic []kcfg.KeyState `json:"dynamic"`
}

type configView struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Type  string `json:"type"`
}

func viewClient(r kcfg.ClientRecord, now time.Time) clientView {
	v := clientView{
		Instance: r.Instance, Principal: r.Principal, ClientID: r.ClientID, Group: r.Group, Kinds: r.Kinds,
		Software: r.Software, Host: r.Host, Since: inUTC(r.Since), At: inUTC(r.At), Stale: fleet.Stale(r, now),
		Deviations: []configView{}, Dynamic: []kcfg.KeyState{},
	}
	for _, c := range fleet.Deviations(r) {
		v.Deviations = append(v.Deviations, configView{c.Key, fleet.Shown(c), c.Type})
	}
	for _, s := range r.Dynamic {
		if s.State != kcfg.OverrideStatic || s.Wished != nil {
			v.Dynamic = append(v.Dynamic, fleet.ShownState(s))
		}
	}
	return v
}

// inUTC returns the zero time for one that has no four digits of a year in UTC: a
// document cannot hold it.
func inUTC(t time.Time) time.Time {
	if t = t.UTC(); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// timeText is a time in a table.
func timeText(t time.Time) string {
	if t = inUTC(t); t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02T15:04:05Z")
}

// claimed is a text of a record as a table shows it.
func claimed(s string) string { return output.Text(fleet.Cut(s, fleet.MaxText)) }

// column is claimed for the table of all clients, where one long name must not push
// the others' columns off the screen. kcfg show has more of it, and documents have all.
func column(s string) string {
	const limit = 64
	return output.Text(fleet.Cut(s, limit))
}

func orNone(s string) string {
	if s == "" {
		return ""
	}
	return column(s)
}

func principalText(p *string) string {
	if p == nil {
		return ""
	}
	return column(*p)
}

func softwareText(s kcfg.Software) string {
	if s == (kcfg.Software{}) {
		return ""
	}
	return column(s.String())
}

// stateStyles say how good a state is.
var stateStyles = map[kcfg.OverrideState]output.Style{
	kcfg.OverrideApplied:       output.Good,
	kcfg.OverridePending:       output.Doubtful,
	kcfg.OverrideNotApplicable: output.Doubtful,
	kcfg.OverrideRejected:      output.Bad,
	kcfg.OverrideUnsupported:   output.Bad,
}

// dynamicCell is where a client's dynamic configurations stand, in the color of the
// worst.
func dynamicCell(r kcfg.ClientRecord) output.Cell {
	var texts []string
	c := output.Cell{}
	worse := map[output.Style]int{output.Good: 1, output.Doubtful: 2, output.Bad: 3}
	for _, s := range fleet.States(r) {
		texts = append(texts, fmt.Sprintf("%d %s", s.Keys, s.State))
		if style := stateStyles[s.State]; worse[style] > worse[c.Style] {
			c.Style = style
		}
	}
	c.Text = strings.Join(texts, ", ")
	return c
}

// plural is a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
