# The commands of this project; `make help` lists them. Each is a script in .ci/ or a few lines here.

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

.PHONY: help setup build demo test test-only seeds smoke check format bench real hostile devices fuzz sanitize mutants handmade lives tight coverage repeatable generate control-page golden clean

help: ## Lists these commands.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Installs the Debian packages that the build needs; quick if they are installed.
	@.ci/setup

build: setup ## Builds partyline and meshsim, release.
	swift build $(RELEASE) --product partyline
	swift build $(RELEASE) --product meshsim

demo: setup ## Builds, lets four nodes on this machine talk, and judges what they heard.
	@echo "== building (the first build takes seven to fifteen minutes on two cores)"
	swift build $(RELEASE) --product partyline
	@echo "== four nodes on this machine talk to each other for twelve seconds"
	.build/release/partyline lab --nodes 4 --seconds 12

test: setup ## Builds and runs all tests with more than 300 simulated meshes, and a lab of three nodes.
	@.ci/test $(SEED_FIRST) $(SEEDS)

check: setup ## Runs all checks that a change must pass: format, imports, warnings, tests, seeds.
	@.ci/check $(SEED_FIRST) $(SEEDS)

format: ## Formats the sources as .swift-format says.
	swift format --in-place --parallel --recursive Package.swift Sources Simulations Tests Benchmarks/Package.swift Benchmarks/HotPaths Benchmarks/Tools

bench: setup ## Measures the hot paths and their lower bounds (a package of its own in Benchmarks/).
	@rm -rf Benchmarks/.build/figures
	cd Benchmarks && swift package --allow-writing-to-package-directory benchmark \
		--no-progress --format jmh --path .build/figures
	@cd Benchmarks && swift run Figures .build/figures/Current_run.jmh.json

real: setup ## Plays scenarios with real nodes, each on a virtual host; skipped unless run as root.
	swift build $(RELEASE) --product partyline
	cd Tests/Network && python3 -B -m unittest --quiet realmesh.tests
	Tests/Network/mesh-scenario --jobs 3
	Tests/Network/split-channels
	Tests/Network/crew-day
	Tests/Network/closed-mesh
	Tests/Network/closed-mesh --change
	Tests/Network/closed-mesh --pair
	Tests/Network/closed-mesh --by-hand
	Tests/Network/coded-channel
	Tests/Network/kills
	Tests/Network/signals

hostile: setup ## Attacks real nodes that talk, case by case, and judges the effect; cases with hosts of their own need root.
	swift build $(RELEASE) --product partyline
	PARTYLINE_HOSTILE=1 swift build $(RELEASE) --product hostile-member
	Tests/Network/hostile-members
	Tests/Network/hostile.sh

devices: setup ## Pulls out sound cards that are made here, and plays with echo and in a terminal.
	swift build $(RELEASE) --product partyline
	Tests/Devices/unplug.sh
	Tests/Devices/cards
	Tests/Devices/echo
	Tests/Devices/terminal

fuzz: setup ## Fuzzes each parser, and nodes beside a hostile member, for FUZZ_SECONDS (60) each; tells the coverage.
	@.ci/fuzz

sanitize: setup ## Runs the tests under the thread sanitizer.
	@.ci/sanitize

mutants: setup ## Plants SAMPLE (300) faults in Core and Handover, drawn by SEED (the commit); shows which test notices each.
	swift build $(RELEASE) --package-path Tests/Mutation
	Tests/Mutation/.build/release/mutants sample --size $(SAMPLE) $(if $(SEED),--seed $(SEED))

handmade: setup ## Plants the faults of Tests/Mutation/handmade.txt; scenarios, seeds or unit tests must notice each.
	swift build $(RELEASE) --package-path Tests/Mutation
	Tests/Mutation/.build/release/mutants handmade
	Tests/Mutation/.build/release/mutants handmade --each-scenario

lives: setup ## Simulates six hours of a mesh for each of the seeds LIVES (1..100), on all processors.
	@.ci/lives $(LIVES)

tight: setup ## Simulates SEEDS_TIGHT (1..2000) with nodes that have small tables and small allowances.
	swift build $(RELEASE) --product meshsim
	.build/release/meshsim swarm --seeds $(SEEDS_TIGHT) --tight drawn --jobs $$(nproc)

coverage: setup ## Checks that directed scenarios and 1200 seeds reach every timer, reason, refusal and counter.
	swift build $(RELEASE) --product meshsim
	.build/release/meshsim coverage --seeds 1..1200

repeatable: setup ## Checks that a seed gives the same trace in debug and release builds, and in each process.
	@.ci/repeatable

generate: ## Generates the protobuf code again; needs protoc.
	@.ci/generate

control-page: setup ## Generates the tables of docs/CONTROL.md from the types of the program.
	swift build $(RELEASE) --product partylinePackageTests
	PARTYLINE_WRITE_PAGE=1 swift test $(RELEASE) --skip-build --disable-xctest --filter ControlPageTests/page

golden: setup ## Writes the files of Tests/Golden anew: what tables and screens look like.
	swift build $(RELEASE) --product partylinePackageTests
	PARTYLINE_BLESS=1 swift test $(RELEASE) --skip-build --disable-xctest --filter GoldenTests

clean: ## Removes all build products.
	rm -rf .build .build-tsan .build-fuzz .build-mutants .build-debug .build-protoc Tests/Mutation/.build
