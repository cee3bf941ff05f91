package cli

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/kcfg-go/kcfg/cmd/kcfg/internal/output"
)

type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	FranzGo string `json:"franzGo"`
	Go      string `json:"go"`
}

func (a *app) versionVerb() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Tell the version of the command and of what it is made of",
		Example: "  kcfg version\n  kcfg version --output json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := buildVersion()
			return a.print.Print(v, func(t *output.TextWriter) {
				t.Line("kcfg %s", v.Version)
				if v.Commit != "" {
					t.Line("commit %s", v.Commit)
				}
				t.Line("franz-go %s", v.FranzGo)
				t.Line("%s", v.Go)
			})
		},
	}
}

func buildVersion() version {
	v := version{Version: "(devel)", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	for _, d := range info.Deps {
		if d.Path == "github.com/twmb/franz-go" {
			v.FranzGo = d.Version
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	return v
}
