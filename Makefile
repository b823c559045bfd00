# The front door. Behind it are CMake presets (CMakePresets.json) and a few scripts in tools/.
.DEFAULT_GOAL := help
.PHONY: help build demo test test-all check-all chaos bench format tidy clean
SHELL := bash
jobs := $(shell nproc)
sources = $(shell find src include bench examples -name '*.h' -o -name '*.hpp' -o -name '*.cc')

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

# $(call build-release,SETTINGS): the conclave command of the release preset, but for these settings
define build-release
@mkdir -p build
@cmake --preset release $(1) > build/release.configure.log 2>&1 || \
    { cat build/release.configure.log; echo "Something missing? Try tools/install-deps"; exit 1; }
@cmake --build --preset release -j $(jobs) --target conclave
endef

build:  ## the conclave command, at build/release/conclave
	$(call build-release)

demo:  ## a real cluster that elects, fails over and locks, and a picture of an election
	@tools/install-deps
	@$(MAKE) --no-print-directory build
	@tools/demo

test:  ## every test: units and engines with sanitizers, real clusters as released
	@tools/install-deps
	@tools/run-tests dev release

test-all:  ## the same, clusters under sanitizers too, the thread sanitizer, clang, clang-tidy and the large checks
	@tools/install-deps --with-extras
	@tools/run-tests dev-all release tsan
	@tools/run-mutants --build build/release
	@cmake --build --preset release -j $(jobs) --target benchmarks
	@$(MAKE) --no-print-directory check-all
	@cmake --preset clang > build/clang.configure.log || { cat build/clang.configure.log; exit 1; }
	@cmake --build --preset clang -j $(jobs)
	@tools/run-clang-tidy

check-all:  ## all worlds of checks/worlds.def: the large ones and every stack, too
	$(call build-release,-DCONCLAVE_UNCHECKED=)
	@tools/run-checks --large --threads $(jobs)

chaos:  ## ten minutes of faults among real nodes and clients (CHAOS_SECONDS, CHAOS_SEED)
	@tools/install-deps
	$(call build-release)
	@cmake --build --preset release -j $(jobs) --target cli_test
	@CHAOS_SECONDS=$${CHAOS_SECONDS:-600} build/release/tests/cli_test --gtest_filter='Chaos.*'

bench:  ## how fast, how large, and beside Spin, etcd, ZooKeeper and Redis
	@tools/install-deps --with-peers
	@$(MAKE) --no-print-directory build
	@cmake --build --preset release -j $(jobs) --target benchmarks
	@failed=; for bench in build/release/bench/bench_* bench/*.sh; do \
	    if [[ -x $$bench ]]; then echo "== $$bench"; $$bench || failed+=" $$bench"; fi; \
	done; [[ -z $$failed ]] || { echo "failed:$$failed"; exit 1; }

format:  ## clang-format over the sources
	@clang-format -i $(sources)

tidy:  ## the habits that a machine can check
	@tools/tidy

clean:  ## removes build/
	@rm -rf build
