# Every target does the set-up it needs by itself and can be repeated: what has
# been done before is found out in seconds and left alone.
#
#   make demo     the reported GEMM, through this compiler, checked and timed
#   make test     build, then all tests
#   make test-riscv-all    all kernel cases in QEMU, for every riscv64 target
#   make test-riscv-large  the reported GEMM in full size (518400 rows) in QEMU
#   make build    only build and install into .venv/
#   make bench    benchmarks
#   make fmt      format C++ and Python sources
#   make lint     check format and style
#   make docs     write the generated pages of docs/, build all pages, check links
#   make wheel    a wheel in dist/
#   make wheel-riscv64    a wheel for riscv64 in dist/, on another machine
#   make clean    remove everything that was built (not .venv/)
#
# On a machine that is not Debian, install the equivalents of
# scripts/debian-packages.txt and set SPINE_SKIP_DEBIAN=1.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := build
.PHONY: debian venv venv-test build demo test test-lit test-unit test-python \
        test-riscv test-riscv-all test-riscv-large \
        test-triton-3.6 bench fmt lint docs wheel wheel-riscv64 clean help

help:
	@sed -n 's/^#   //p' Makefile

debian:
	@[ -n "$(SPINE_SKIP_DEBIAN)" ] || scripts/setup-debian.sh

venv: debian
	@scripts/setup-venv.sh .venv build triton-3.7

build: venv
	@scripts/build.sh all
	@scripts/install.sh .venv

demo: build
	@.venv/bin/python examples/gemm_demo.py

venv-test: venv
	@scripts/setup-venv.sh .venv test lint docs

test: test-lit test-unit test-python test-riscv test-triton-3.6

test-lit: build venv-test
	@scripts/test.sh lit

test-unit: build venv-test
	@scripts/test.sh unit

test-python: build venv-test
	@scripts/test.sh python .venv

test-riscv: build venv-test
	@scripts/test.sh riscv

test-riscv-all: build venv-test
	@scripts/test.sh riscv all

test-riscv-large: build venv-test
	@scripts/test.sh riscv large

test-triton-3.6: build venv-test
	@scripts/setup-venv.sh .venv-3.6 build test triton-3.6
	@scripts/install.sh .venv-3.6
	@scripts/test.sh smoke .venv-3.6

bench: build venv-test
	@scripts/bench.sh

fmt: debian
	@scripts/setup-venv.sh .venv lint
	@scripts/lint.sh --fix

lint: build
	@scripts/setup-venv.sh .venv lint
	@scripts/lint.sh

docs: venv
	@scripts/setup-venv.sh .venv docs
	@scripts/docs.sh

wheel: build
	@scripts/wheel.sh

wheel-riscv64: build
	@scripts/wheel-riscv64.sh

clean:
	rm -rf build build-wheel build-cpython-* dist licenses
	rm -f python/spine_triton/_spine*.so
	find python test -name __pycache__ -type d -prune -exec rm -rf {} +
