# make run, make test: all that a fresh machine needs. Written for any POSIX shell and for GNU make 3.81 (macOS).

VENV ?= .venv
# Names to try, in this order; `make run PYTHON=python3.13` takes that one.
PYTHON ?= python3.11 python3.12 python3.13 python3
# On Linux the usual index has torch with gigabytes of CUDA, so PyTorch's own page of CPU builds is tried first: once, for
# so many seconds in all. TORCH_INDEX names another index, which then must answer; TORCH_INDEX=none is to try nothing.
TORCH_INDEX ?=
CPU_PAGE := https://download.pytorch.org/whl/cpu
TRY := 8
SYSTEM := $(shell uname -s)
# The resolver of `make lock`.
UV := uv==0.13.9

# Processes that share the tests, file by file: what a file sets up, each has for itself, a server and Chromium too.
JOBS ?= 2
# A number: the files in another order, which that number gives again.
ORDER ?=
# The processors that there are none of, and the tests that compute as they might. NOISE=1: `make test` as the first.
SEED ?= 1 2 3
NOISE ?=
NOISY ?= tests/core tests/ui tests/app

PY := $(VENV)/bin/python
PYTEST := $(PY) -m pytest -n $(JOBS) --dist loadfile $(if $(ORDER),--order $(ORDER)) $(if $(CI),--durations 25)
PIP_INSTALL := $(PY) -m pip install --disable-pip-version-check
TORCH := $(shell sed -n 's/^torch==//p' requirements.txt)
TORCH_FROM = $(PIP_INSTALL) -c constraints.txt --no-deps --index-url
# Of any build.
HAS_TORCH := import sys; from importlib.metadata import version; sys.exit(version("torch").partition("+")[0] != "$(TORCH)")
# An address may have many machines behind it, each with a time-out of its own: the alarm counts for all of them.
ON_PAGE := import signal, sys, urllib.request as web; signal.alarm($(TRY)); \
	page = web.urlopen("$(CPU_PAGE)/torch/", timeout=$(TRY)).read().replace(b"%2B", b"+"); \
	sys.exit(b"torch-$(TORCH)+cpu" not in page)

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run dev test browser quick cluster proxies noise check bench docs wheel lock clean

help:
	@echo "make run         open the app"
	@echo "make dev         open the app, and draw it again whenever a Python file is saved"
	@echo "make test        run every test, Chromium included (ORDER=7: the files in another order; NOISE=1: as another processor)"
	@echo "make browser     install what the browser tests need: Chromium and a Chinese font, where they are missing"
	@echo "make quick       run the tests of the core and of ui that take no long training"
	@echo "make cluster     run the tests of several machines and replicas, on this one, behind nginx and Caddy"
	@echo "make noise       run core, ui and app tests as three other processors might compute (SEED=1: as one)"
	@echo "make check       lint (JavaScript and texts too), formatting, types"
	@echo "make bench       print the benchmarks"
	@echo "make docs        make the site of guides, notebooks and API, in build/docs"
	@echo "make wheel       build the app and the library, a package each, in dist"
	@echo "make lock        pin in constraints.txt what the direct pins bring with them (UPGRADE=1: anew)"
	@echo "make clean       remove $(VENV) and the caches"

run: $(VENV)/.app
	$(PY) -m streamlit run app.py

# Streamlit's own way; texts and scripts are read once, so they need a new start.
dev: $(VENV)/.app
	$(PY) -m streamlit run app.py --server.fileWatcherType auto --server.runOnSave true

test: browser $(VENV)/.dev
	$(PYTEST) $(if $(NOISE),--noise $(NOISE) $(NOISY))
	$(if $(NOISE),$(PYTEST) $(addprefix --ignore=,$(NOISY)))

# Before the packages: where no browser can be had, one sentence says so at once.
browser: $(PY)
	$(PY) -m tests.programs browser

quick: $(VENV)/.dev
	$(PYTEST) -m "not long" tests/core tests/ui tests/client

# Mostly they wait: Ray's nodes in one process, the servers behind proxies in the other.
cluster: browser proxies $(VENV)/.cluster
	$(PYTEST) -m cluster tests/cluster

proxies: $(PY)
	$(PY) -m tests.programs nginx caddy

# Every floating result otherwise in its last bits: what then fails holds of some processors only (tests/noise).
noise: $(VENV)/.dev
	for seed in $(SEED); do $(PYTEST) --noise $$seed $(NOISY) || exit 1; done

check: $(VENV)/.dev
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(PY) -m mypy
	$(PY) -m tests.ui.text_linter
	$(VENV)/bin/oxlint --config .oxlintrc.json assets tests
	DENO_NO_UPDATE_CHECK=1 $(PY) -m deno check --quiet --no-remote --no-npm --config .deno.json assets

bench: $(VENV)/.dev
	$(PY) -m benchmarks --both

# With a warning it fails.
docs: $(VENV)/.docs
	$(PY) -m sphinx -W --keep-going -q -c docs/site . build/docs
	@echo "build/docs/index.html"

# What an earlier one has left in `build` would be packed, too.
wheel: $(PY)
	rm -rf build dist transformer_core/build
	$(PY) -m pip wheel --disable-pip-version-check --no-deps --wheel-dir dist . ./transformer_core

# For every system and Python at once, so from a machine's own packages nothing gets in. A pin that still fits stays.
lock: $(PY)
	$(PIP_INSTALL) -c constraints.txt $(UV)
	grep -h '==' requirements*.txt | $(VENV)/bin/uv pip compile --quiet --universal \
	--python $(PY) --python-version 3.11 --no-annotate --custom-compile-command "make lock" $(if $(UPGRADE),--upgrade) \
	--output-file constraints.txt -

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis build dist *.egg-info transformer_core/build \
		transformer_core/*.egg-info

# The stamps are older than a file of pins that has changed since, so a pull installs what it brought.
# --no-deps: what torch needs comes from the public index, which alone is sure to have the pinned versions.
$(VENV)/.app: requirements.txt constraints.txt $(PY)
	@if [ "$(TORCH_INDEX)" = none ] || $(PY) -c '$(HAS_TORCH)' 2>/dev/null; then :; \
	elif [ -n "$(TORCH_INDEX)" ]; then $(TORCH_FROM) $(TORCH_INDEX) torch; \
	elif [ "$(SYSTEM)" != Linux ]; then :; \
	elif { $(PY) -c '$(ON_PAGE)'; } 2>/dev/null && $(TORCH_FROM) $(CPU_PAGE) --retries 0 torch; then \
		echo "PyTorch is the small CPU build from $(CPU_PAGE)"; \
	else \
		echo "$(CPU_PAGE) was not reached or has no fitting PyTorch $(TORCH): taking the usual index's, maybe with CUDA (3 GB)"; \
	fi
	$(PIP_INSTALL) -r requirements.txt
	@touch $@

$(VENV)/.dev: requirements-dev.txt constraints.txt $(VENV)/.app
	$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

$(VENV)/.cluster: requirements-cluster.txt constraints.txt $(VENV)/.dev
	$(PIP_INSTALL) -r requirements-cluster.txt
	@touch $@

$(VENV)/.docs: requirements-docs.txt constraints.txt $(VENV)/.app
	$(PIP_INSTALL) -r requirements-docs.txt
	@touch $@

$(PY):
	@trouble="Python 3.11 or newer was not found. Install it, or name yours: make run PYTHON=python3.12"; \
	for python in $(PYTHON); do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
		if $$python -c 'import ensurepip, venv' 2>/dev/null; then \
			echo "$(VENV): $$($$python --version), then the packages (some minutes the first time)"; \
			exec $$python -m venv --clear $(VENV); \
		fi; \
		trouble="$$python lacks its venv module. On Debian and Ubuntu: sudo apt install python3-venv"; \
	done; \
	echo "$$trouble" >&2; exit 1
