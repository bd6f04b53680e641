# Every target is a line or two; CI calls only these.
GO       ?= go
TOOLS    := $(CURDIR)/.tools/bin
GOLANGCI := $(TOOLS)/golangci-lint
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath

# Pinned programs, installed by "make tools" into .tools, which git ignores.
GOLANGCI_VERSION := v2.15.0

FUZZTIME ?= 20s

.PHONY: help build test race lint fuzz cover tools bench ci

help: ## show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

build: ## build ./bench, one static binary
	$(GO) build -ldflags '-s -w' -o bench ./cmd/bench

test: ## run the tests
	$(GO) test ./...

race: ## run the tests with the race detector (needs a C compiler)
	@command -v gcc >/dev/null || command -v cc >/dev/null || { echo 'make race: the race detector needs a C compiler: install the package gcc' >&2; exit 1; }
	CGO_ENABLED=1 $(GO) test -race ./...

lint: $(GOLANGCI) ## check style and layering
	$(GOLANGCI) config verify
	$(GOLANGCI) run ./...

fuzz: ## run every fuzz target for FUZZTIME
	@set -e; for p in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$p | grep '^Fuzz' || true); do \
	    echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x $$p; done; done

cover: ## show the coverage of the packages that compute results
	$(GO) test -coverpkg=./internal/oplog/...,./internal/engine,./analyze/... -coverprofile=cover.out ./internal/oplog/... ./internal/engine ./analyze/... ./cmd/bench
	$(GO) tool cover -func=cover.out | tail -1

tools: $(GOLANGCI) ## install the pinned programs into .tools

$(GOLANGCI):
	GOFLAGS= GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

bench: ## measure the program itself against its peers
	$(GO) test -run '^$$' -bench . -benchtime 1x -count 3 -timeout 30m ./cmd/bench
	$(GO) test -run '^$$' -bench HotPath -benchtime 4000000x -count 3 ./internal/workload
	$(GO) test -run '^$$' -bench '(Fill|Verify)/1024KiB' ./internal/payload

ci: test lint race ## what CI runs
