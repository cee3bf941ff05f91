package integration_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/kcfg-go/kcfg"
	"github.com/kcfg-go/kcfg/client"
	cfgerrors "github.com/kcfg-go/kcfg/errors"
	"github.com/kcfg-go/kcfg/internal/kafkatest"
)

// installer is Bob with the rights that RequiredACLs lists for who sets up a pair of
// topics of the test's own, but for an operation on the first of them.
func installer(t *testing.T, c *kafkatest.Cluster, missing kadm.ACLOperation) store {
	t.Helper()
	s := operator(t, c)
	acls := client.RequiredACLs(client.ACLPlan{
		Installers: []string{"User:" + kafkatest.Bob}, Transport: client.TransportTopics, Topics: s.names,
	})
	require.Len(t, acls, 10)
	adm := admin(t, c)
	for _, a := range acls {
		if a.Operation == missing && a.Name == s.names.Dynamic {
			continue
		}
		created, err := adm.CreateACLs(withTimeout(t), a.Builder())
		require.NoError(t, err)
		for _, one := range created {
			require.NoError(t, one.Err)
		}
	}
	s.Admin = s.adminAs(t, c, kafkatest.Bob)
	return s
}

func TestRequiredACLsOfAnInstallerAreEnoughOnKafka(t *testing.T) {
	c := kafka(t)
	s := installer(t, c, kadm.OpUnknown)
	// Until every node knows of the rights, a try fails, and leaves what it made.
	eventually(t, func() bool {
		_, err := s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
		return err == nil
	}, "the topics are set up")

	awaitACLs(t, c, kafkatest.Bob, s.names.Dynamic, s.names.Clients)

	// A setting that somebody changed is put in order too.
	altered, err := operator(t, c).AlterConfigs(withTimeout(t),
		kcfg.AlterConfig(kcfg.TopicResource(s.names.Dynamic), kcfg.SetConfig("cleanup.policy", "delete")))
	require.NoError(t, err)
	require.NoError(t, altered.Err())
	corrected := kcfg.TopicSetting{Key: "cleanup.policy", Value: "compact", Was: "delete"}
	var failed error
	eventually(t, func() bool {
		made, err := s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
		failed = err
		return err == nil && slices.ContainsFunc(made.Topics, func(made kcfg.TopicMade) bool {
			return made.Name == s.names.Dynamic && slices.Contains(made.Settings, corrected)
		})
	}, "the setting is seen and corrected")
	require.NoError(t, failed)
}

func TestEachRightOfAnInstallerIsNeededOnKafka(t *testing.T) {
	c := kafka(t)
	for _, missing := range []kadm.ACLOperation{kadm.OpCreate, kadm.OpRead, kadm.OpWrite} {
		t.Run(missing.String(), func(t *testing.T) {
			s := installer(t, c, missing)
			var failed error
			eventually(t, func() bool { // the nodes learn of the other rights one by one
				_, failed = s.SetupTopics(withTimeout(t), kcfg.TopicSetup{})
				denied, ok := asType[*cfgerrors.AuthorizationError](failed)
				return ok && strings.ReplaceAll(missing.String(), "_", "") == strings.ToUpper(denied.Operation)
			}, "the missing right is named")
			require.Error(t, failed)
		})
	}
}
