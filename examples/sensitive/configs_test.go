package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/kcfg-go/kcfg/sensitive"
)

// This file is for copying. It needs nothing but package sensitive.

// filled returns settings in which every secret is a text that is easy to find.
func filled() settings {
	const secret = "find-me-if-you-can"
	return settings{
		Release:    "1.4.2",
		Region:     "north",
		Workers:    "16",
		Registry:   "https://alice:" + secret + "@registry.internal",
		DBPassword: sensitive.NewSecret(secret),
		APIKey:     sensitive.NewSecret(secret),
	}
}

// Whoever adds a configuration has to add it here too if it may leave, and so
// thinks about it once.
func TestOnlyTheseConfigurationsLeaveTheProcess(t *testing.T) {
	want := []string{"orders.release", "orders.region", "orders.workers"}
	clean, _ := sensitive.Filter(configs(filled())...)
	var got []string
	for _, c := range clean {
		got = append(got, c.Entry().Key)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v leave the process, want %v", got, want)
	}
}

func TestSecretsAreHeldBackForTheReasonsThatWeKnow(t *testing.T) {
	want := map[string]sensitive.Reason{
		"orders.registry.url": sensitive.ReasonValue,
		"orders.db.password":  sensitive.ReasonType,
		"orders.apiKey":       sensitive.ReasonWord,
	}
	_, held := sensitive.Filter(configs(filled())...)
	for _, h := range held {
		if h.Reason != want[h.Key] {
			t.Errorf("%v, want: %v", h, want[h.Key])
		}
		delete(want, h.Key)
	}
	for key := range want {
		t.Errorf("%s is not held back", key)
	}
}

func TestNoSecretIsInWhatLeavesTheProcess(t *testing.T) {
	clean, _ := sensitive.Filter(configs(filled())...)
	for _, c := range clean {
		if strings.Contains(c.Entry().Value, "find-me") {
			t.Errorf("%s has a secret in its value", c.Entry().Key)
		}
	}
}

// A registry without a user in its address is nothing to hide.
func TestTheRegistryMayLeaveWithoutItsPassword(t *testing.T) {
	if r := sensitive.Check("orders.registry.url", sensitive.String); r != sensitive.NotSensitive {
		t.Error(r)
	}
	if r := sensitive.CheckValue("https://registry.internal"); r != sensitive.NotSensitive {
		t.Error(r)
	}
}
