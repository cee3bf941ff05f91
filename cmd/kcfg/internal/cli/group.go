package cli

import "github.com/spf13/cobra"

// groups are the verbs by what they are for, as the help shows them.
var groups = []struct {
	id, title string
	verbs     []string
}{
	{"reading", "See what is configured:", []string{"clients", "show", "drift", "describe", "check"}},
	{"changing", "Change it:", []string{"alter"}},
	{"setup", "Set a cluster up:", []string{"setup", "acls"}},
	{"local", "On this machine:", []string{"broker", "version", "completion", "help"}},
}

// group puts every verb of root into its group.
func group(root *cobra.Command) {
	of := make(map[string]string)
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, verb := range g.verbs {
			of[verb] = g.id
		}
	}
	for _, cmd := range root.Commands() {
		cmd.GroupID = of[cmd.Name()]
	}
	root.SetHelpCommandGroupID(of["help"])
	root.SetCompletionCommandGroupID(of["completion"])
}
