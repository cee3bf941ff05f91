# The commands of this repository; "make" lists them. The gate is .ci/run.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

TOOL     := go tool -modfile=tools/go.mod
FUZZTIME ?= 60s

.DEFAULT_GOAL := help
.PHONY: help test race lint fuzz fuzz-short soak bench contract kafka-test kafka-test-old examples ci

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' Makefile

test: ## all tests
	go test ./...

race: ## all tests with the race detector
	go test -race ./...

lint: ## golangci-lint as pinned in tools/go.mod (its first build takes minutes)
	$(TOOL) golangci-lint run

fuzz: ## every fuzz target, FUZZTIME=60s each
	.ci/fuzz $(FUZZTIME)

fuzz-short: ## every fuzz target, 5s each
	.ci/fuzz 5s

soak: ## the long tests (build tag soak), those on a real Kafka among them
	@go test -tags soak -list Soak ./... | grep '^Test' >/dev/null || { echo 'there is no test named TestSoak...' >&2; exit 1; }
	REQUIRE_KAFKA=1 go test -tags soak -run Soak -timeout 60m -p 1 -v ./...

bench: ## all benchmarks; benchstat: go tool -modfile=tools/go.mod benchstat
	go test -run '^$$' -bench . -benchmem ./...
	if [[ -d internal/benchratio ]]; then go run ./internal/benchratio; fi

contract: ## the tests of each contract_test.go on the newest franz-go
	.ci/contract

# REQUIRE_KAFKA makes a Kafka that does not start a failure and not a skip.
KAFKA_TEST := REQUIRE_KAFKA=1 go test -race -count=1 -timeout 12m ./internal/kafkatest ./internal/integration

kafka-test: ## the tests with a real Kafka (needs Java 17; Maven fetches 45 MB, once)
	$(KAFKA_TEST)

kafka-test-old: ## the same with the last Kafka before version 4
	KCFG_KAFKA=3.9.2 $(KAFKA_TEST)

examples: ## vet the examples, run the quickstart
	go vet ./examples/...
	go run ./examples/quickstart

ci: ## the gate
	.ci/run
