package integration_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// operatorsExample are the commands of the README's example, each with what it prints
// behind it.
func operatorsExample(t *testing.T) (out []string) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	require.NoError(t, err)
	_, text, found := strings.Cut(string(b), "<!-- operator -->\n")
	require.True(t, found)
	text, _, found = strings.Cut(text, "<!-- /operator -->")
	require.True(t, found)
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```\n").FindAllStringSubmatch(text, -1) {
		out = append(out, strings.Split(block[1], "$ kcfg ")[1:]...)
	}
	require.Greater(t, len(out), 4)
	return out
}

var (
	instanceForm = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	momentForm   = regexp.MustCompile(`[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z`)
	softwareForm = regexp.MustCompile(`kgo/[a-z0-9.]+`)
	spacesForm   = regexp.MustCompile(` +`)
)

// toldBy is what a command printed without what differs from run to run: who is first
// among clients, how wide a column is, and names of this machine.
func toldBy(t *testing.T, out string) []string {
	t.Helper()
	host, err := os.Hostname()
	require.NoError(t, err)
	out = strings.ReplaceAll(out, "  "+host+"  ", "  app-1  ")
	for form, to := range map[*regexp.Regexp]string{instanceForm: "ID", momentForm: "T", softwareForm: "kgo/v"} {
		out = form.ReplaceAllString(out, to)
	}
	lines := strings.Split(strings.TrimSpace(spacesForm.ReplaceAllString(out, " ")), "\n")
	slices.Sort(lines)
	return lines
}

// fleetOfTheExample are clients like those of kcfg broker --demo.
func fleetOfTheExample(t *testing.T, c *kafkatest.Cluster, s store) {
	t.Helper()
	member := []kgo.Opt{kgo.ClientID("billing"), kgo.ConsumerGroup("billing"), kgo.ConsumeTopics("orders")}
	ctx, cancel := context.WithCancel(t.Context())
	var done []<-chan struct{}
	t.Cleanup(func() {
		cancel()
		for _, d := range done {
			<-d
		}
	})
	for _, opts := range [][]kgo.Opt{
		{kgo.ClientID("orders-api"), kgo.DisableIdempotentWrite()},
		{kgo.ClientID("orders-api"), kgo.ProducerLinger(50 * time.Millisecond)},
		member,
		append(slices.Clip(member), kgo.SessionTimeout(30*time.Second)),
	} {
		cl := ours(t, append(opts, kgo.SeedBrokers(c.Addrs()...), kgo.DefaultProduceTopic("orders")),
			s.where()...)
		require.NoError(t, cl.PushConfig(withTimeout(t)))
		d := make(chan struct{})
		done = append(done, d)
		go func() {
			defer close(d)
			for ctx.Err() == nil {
				if cl.OptValue(kgo.ConsumerGroup) != "" {
					cl.PollFetches(ctx)
				} else {
					_ = cl.ProduceSync(ctx, kgo.StringRecord("an order")).FirstErr() // its end is none
				}
			}
		}()
	}
}

func TestTheREADMEsExampleOfTheCommandIsTheSameOnKafka(t *testing.T) {
	c := kafka(t)
	s := setUp(t, c, kcfg.TopicSetup{})
	k := commandOf(t, c).over(s)
	made, err := admin(t, c).CreateTopic(withTimeout(t), 3, 3, nil, "orders")
	require.NoError(t, err)
	require.NoError(t, made.Err)
	t.Cleanup(func() {
		_, err := kadm.NewClient(bare(t, c.Addrs())).DeleteTopic(context.Background(), "orders")
		assert.NoError(t, err)
	})
	fleetOfTheExample(t, c, s)
	for _, one := range operatorsExample(t) {
		line, want, _ := strings.Cut(one, "\n")
		args := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(line, `"`, ""), "--bootstrap-server localhost:9092", ""))
		r := k.run(t, args...)
		assert.Equal(t, toldBy(t, want), toldBy(t, r.out+r.err), line)
	}
}
