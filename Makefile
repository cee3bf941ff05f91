# The commands of this repository; "make" lists them. The gate is .ci/run.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

TOOL     := go tool -modfile=tools/go.mod
FUZZTIME ?= 60s

.DEFAULT_GOAL := help
.PHONY: help test race lint fuzz fuzz-short soak bench contract examples ci

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-11s %s\n", $$1, $$2 }' Makefile

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

soak: ## the long tests (build tag soak)
	@go test -tags soak -list Soak ./... | grep '^Test' >/dev/null || { echo 'there is no test named TestSoak...' >&2; exit 1; }
	go test -tags soak -run Soak -timeout 60m -v ./...

bench: ## all benchmarks; benchstat: go tool -modfile=tools/go.mod benchstat
	go test -run '^$$' -bench . -benchmem ./...
	if [[ -d internal/benchratio ]]; then go run ./internal/benchratio; fi

contract: ## the tests of each contract_test.go on the newest franz-go
	.ci/contract

examples: ## vet the examples, run the quickstart
	go vet ./examples/...
	go run ./examples/quickstart

ci: ## the gate
	.ci/run
