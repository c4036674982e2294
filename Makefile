# The commands of this project. Each is a short script in .ci/ or a line here; `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:

# `swift build` and `swift test` of one configuration share one scratch path, so that the
# dependencies are built once.
RELEASE := -c release
SEEDS ?= 100
SEED_FIRST ?= 1
SEEDS_TIGHT ?= 1..2000
LIVES ?= 1..100
SAMPLE ?= 300

.PHONY: help setup build demo test test-only seeds smoke check format bench real fuzz sanitize mutants handmade lives tight coverage repeatable generate clean

help: ## Lists these commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs what the build needs (Debian packages); quick when all is there.
	@.ci/setup

build: setup ## Builds partyline and meshsim, release.
	swift build $(RELEASE) --product partyline
	swift build $(RELEASE) --product meshsim

demo: setup ## Builds, then lets four nodes on this machine talk, and judges what they heard.
	@echo "== building (the first build takes ten to fifteen minutes on two cores)"
	swift build $(RELEASE) --product partyline
	@echo "== four nodes on this machine talk to each other for twelve seconds"
	.build/release/partyline lab --nodes 4 --seconds 12

test: setup ## Builds and runs all tests, 100 simulated meshes and a lab of three nodes.
	@.ci/test $(SEED_FIRST) $(SEEDS)

check: setup ## What a change must pass: format, imports, no warnings, tests, seeds.
	@.ci/check $(SEED_FIRST) $(SEEDS)

format: ## Lays out the sources by .swift-format.
	swift format --in-place --parallel --recursive Package.swift Sources Simulations Tests Benchmarks/Package.swift Benchmarks/HotPaths Benchmarks/Tools

bench: setup ## Measures the hot paths beside their floors (a package of its own in Benchmarks/).
	@rm -rf Benchmarks/.build/figures
	cd Benchmarks && swift package --allow-writing-to-package-directory benchmark \
		--no-progress --format jmh --path .build/figures
	@cd Benchmarks && swift run Figures .build/figures/Current_run.jmh.json

real: setup ## Plays simulated scenarios with real nodes on hosts of their own; root, or it is skipped.
	swift build $(RELEASE) --product partyline
	cd Tests/Network && python3 -B -m unittest --quiet realmesh.tests
	Tests/Network/mesh-scenario --jobs 3

fuzz: setup ## Fuzzes every parser of strangers' bytes for FUZZ_SECONDS (60) each.
	@.ci/fuzz

sanitize: setup ## Runs the tests under the thread sanitizer.
	@.ci/sanitize

mutants: setup ## Draws SAMPLE (300) mechanical faults of Core by SEED (the commit), and asks who notices each.
	swift build $(RELEASE) --package-path Tests/Mutation
	Tests/Mutation/.build/release/mutants sample --size $(SAMPLE) $(if $(SEED),--seed $(SEED))

handmade: setup ## Plants the faults of Tests/Mutation/handmade.txt, and requires that each is noticed.
	swift build $(RELEASE) --package-path Tests/Mutation
	Tests/Mutation/.build/release/mutants handmade
	Tests/Mutation/.build/release/mutants handmade --each-scenario

lives: setup ## Plays six hours of a mesh's life for each of the seeds LIVES (1..100), on all processors.
	@.ci/lives $(LIVES)

tight: setup ## Plays SEEDS_TIGHT (1..2000) with nodes whose tables are full and allowances spent early.
	swift build $(RELEASE) --product meshsim
	.build/release/meshsim swarm --seeds $(SEEDS_TIGHT) --tight drawn --jobs $$(nproc)

coverage: setup ## Requires that directed scenarios and 1200 seeds reach every timer, reason, refusal and counter.
	swift build $(RELEASE) --product meshsim
	.build/release/meshsim coverage --seeds 1..1200

repeatable: setup ## Requires the same trace of a seed in debug and release builds, and in any process.
	@.ci/repeatable

generate: ## Generates the protobuf code again; needs protoc.
	@.ci/generate

clean: ## Removes what was built here.
	rm -rf .build .build-tsan .build-fuzz .build-mutants .build-debug .build-protoc Tests/Mutation/.build
