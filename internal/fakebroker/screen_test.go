package fakebroker

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kcfg-go/kcfg"
)

// refuseSegments refuses what alters segment.ms.
func refuseSegments(_ context.Context, m AlterMetadata) error {
	for _, op := range m.Ops {
		if op.Key == "segment.ms" {
			return errors.New("not segment.ms")
		}
	}
	return nil
}

type answeredResource struct {
	name    string
	code    int16
	message string
}

// configAnswer reads what was answered about each resource.
func configAnswer(t *testing.T, frame []byte, req kmsg.Request) (out []answeredResource) {
	t.Helper()
	resp := req.ResponseKind()
	resp.SetVersion(req.GetVersion())
	body := frame[answerHead:]
	if resp.IsFlexible() {
		body = body[1:]
	}
	require.NoError(t, resp.ReadFrom(body))
	add := func(name string, code int16, message *string) {
		out = append(out, answeredResource{name, code, orEmpty(message)})
	}
	switch resp := resp.(type) {
	case *kmsg.DescribeConfigsResponse:
		for _, r := range resp.Resources {
			require.Equal(t, r.ErrorCode == 0, len(r.Configs) > 0)
			add(r.ResourceName, r.ErrorCode, r.ErrorMessage)
		}
	case *kmsg.AlterConfigsResponse:
		for _, r := range resp.Resources {
			add(r.ResourceName, r.ErrorCode, r.ErrorMessage)
		}
	case *kmsg.IncrementalAlterConfigsResponse:
		for _, r := range resp.Resources {
			add(r.ResourceName, r.ErrorCode, r.ErrorMessage)
		}
	}
	return out
}

// altersOf alter one key of each topic, in both forms.
func altersOf(keys map[string]string, topics ...string) []kmsg.Request {
	whole, incremental := kmsg.NewPtrAlterConfigsRequest(), kmsg.NewPtrIncrementalAlterConfigsRequest()
	for _, topic := range topics {
		w := kmsg.NewAlterConfigsRequestResource()
		w.ResourceType, w.ResourceName = kmsg.ConfigResourceTypeTopic, topic
		wc := kmsg.NewAlterConfigsRequestResourceConfig()
		wc.Name, wc.Value = keys[topic], new("3600000")
		w.Configs = append(w.Configs, wc)
		whole.Resources = append(whole.Resources, w)
		i := kmsg.NewIncrementalAlterConfigsRequestResource()
		i.ResourceType, i.ResourceName = kmsg.ConfigResourceTypeTopic, topic
		ic := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		ic.Name, ic.Value = keys[topic], new("3600000")
		i.Configs = append(i.Configs, ic)
		incremental.Resources = append(incremental.Resources, i)
	}
	return []kmsg.Request{whole, incremental}
}

func TestAPolicyRefusesTopicsOneByOneAtEveryVersion(t *testing.T) {
	t.Parallel()
	c := start(t, AlterPolicy(AlterPolicyFunc(refuseSegments)), Topics(1, "a", "b", "c"))
	r := dial(t, c, 0)
	keys := map[string]string{"a": "retention.ms", "b": "segment.ms", "c": "retention.ms", "none": "retention.ms"}
	for _, req := range altersOf(keys, "a", "b", "none", "c") {
		for version := range req.MaxVersion() + 1 {
			if req.Key() == keyAlterConfigs && version > 2 || req.Key() == keyIncrementalAlterConfigs && version > 1 {
				continue // kfake does not have it
			}
			req.SetVersion(version)
			r.send(req, 7)
			frame := r.read()
			require.EqualValues(t, 7, correlation(frame))
			require.Equal(t, []answeredResource{
				{"a", 0, ""}, {"b", kerr.PolicyViolation.Code, "not segment.ms"},
				{"none", kerr.UnknownTopicOrPartition.Code, ""}, {"c", 0, ""},
			}, configAnswer(t, frame, req), "key %d version %d", req.Key(), version)
		}
	}
	for _, req := range altersOf(keys, "b") {
		r.send(req, 8)
		require.Equal(t, []answeredResource{{"b", kerr.PolicyViolation.Code, "not segment.ms"}}, configAnswer(t, r.read(), req), "and all of them")
	}
}

func TestRightsAreAskedForOneByOneAtEveryVersion(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "a", "b"), Grants(Grant{"ANONYMOUS", DescribeConfigs, kcfg.TopicResource("b")}))
	r := dial(t, c, 0)
	req := kmsg.NewPtrDescribeConfigsRequest()
	for _, topic := range []string{"a", "b"} {
		one := kmsg.NewDescribeConfigsRequestResource()
		one.ResourceType, one.ResourceName = kmsg.ConfigResourceTypeTopic, topic
		req.Resources = append(req.Resources, one)
	}
	for version := range int16(5) {
		req.SetVersion(version)
		r.send(req, 7)
		require.Equal(t, []answeredResource{
			{"a", kerr.TopicAuthorizationFailed.Code, `DescribeConfigs on topic "a" is not allowed`}, {"b", 0, ""},
		}, configAnswer(t, r.read(), req), "version %d", version)
	}
}

func TestAResourceThatComesTwiceIsRefusedAndTheRestIsNot(t *testing.T) {
	t.Parallel()
	c := start(t, Topics(1, "a", "b"))
	r := dial(t, c, 0)
	keys := map[string]string{"a": "retention.ms", "b": "retention.ms"}
	for _, req := range altersOf(keys, "a", "b", "a") {
		r.send(req, 7)
		const twice = "the resource comes more than once"
		require.Equal(t, []answeredResource{
			{"a", kerr.InvalidRequest.Code, twice}, {"b", 0, ""}, {"a", kerr.InvalidRequest.Code, twice},
		}, configAnswer(t, r.read(), req))
	}
}

// What the tap does not refuse it does not rewrite, whatever kmsg would make of it.
func TestARequestOfWhichNothingIsRefusedPassesByteForByte(t *testing.T) {
	t.Parallel()
	c := start(t, AlterPolicy(AlterPolicyFunc(refuseSegments)))
	for _, req := range altersOf(map[string]string{"a": "retention.ms"}, "a") {
		frame := sized(append(formatted(req, 9), 0xff)) // more than kmsg reads and would write
		tap := tapOf(t, c, &segments{pieces: [][]byte{frame}})
		got, err := readFrame(tap)
		require.NoError(t, err)
		require.Equal(t, frame, got)
	}
	for _, req := range altersOf(map[string]string{"a": "segment.ms"}, "a") {
		frame := formatted(req, 9)
		got, err := readFrame(tapOf(t, c, &segments{pieces: [][]byte{frame}}))
		require.NoError(t, err)
		require.NotEqual(t, frame, got, "the test can tell")
	}
}

func TestAConfigRequestThatDoesNotParseIsKfakesToRefuse(t *testing.T) {
	t.Parallel()
	c := start(t, AlterPolicy(AlterPolicyFunc(refuseSegments)))
	frame := formatted(altersOf(map[string]string{"a": "segment.ms"}, "a")[1], 9)
	cut := sized(bytes.Clone(frame[:len(frame)-3]))
	got, err := readFrame(tapOf(t, c, &segments{pieces: [][]byte{cut}}))
	require.NoError(t, err)
	require.Equal(t, cut, got)
}

// A request before authentication is kfake's to refuse: no policy is asked.
func TestNoPolicyIsAskedBeforeAuthentication(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	c := start(t, SASL(User{Mechanism: mechanismPlain, Name: "alice", Password: "wonder"}), Topics(1, "a"),
		AlterPolicy(AlterPolicyFunc(func(context.Context, AlterMetadata) error {
			asked <- struct{}{}
			return nil
		})))
	r := dial(t, c, 0)
	r.send(altersOf(map[string]string{"a": "segment.ms"}, "a")[1], 9)
	r.requireClosed()
	require.Equal(t, 1, c.Count(0, keyIncrementalAlterConfigs))
	require.Empty(t, asked)
}
