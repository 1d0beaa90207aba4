# `make` or `make help` lists the targets. Everything runs from .venv; `make setup` makes it.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
# The tests start Python some hundred times: once is enough to compile what it imports.
unexport PYTHONDONTWRITEBYTECODE

BIN := .venv/bin
STAMP := .venv/.setup-stamp
PYTHONS := python3.11 python3.12 python3.13 python3.14 python3 python
# venv needs ensurepip, which Debian packages apart from python3.
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
TYPED := service consumers $(wildcard tools) $(wildcard examples) tests
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate $(UPGRADE)

# More workers than two cores: a test with servers mostly waits. Files in order, so that the short
# ones come last and no worker is left with a long one. A Redis of yours has room for one run only.
WORKERS ?= $(if $(TEST_REDIS_URL),0,3)
PARALLEL := -n $(WORKERS) --dist loadfile --no-loadscope-reorder

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: $(STAMP) ## Make .venv with the locked dependencies and the groundwatch command (PYTHON=… to choose)

.venv/bin/python:
	@chosen=; \
	for candidate in $(or $(PYTHON),$(PYTHONS)); do \
	  if "$$candidate" -c '$(USABLE)' >/dev/null 2>&1; then chosen=$$candidate; break; fi; \
	done; \
	if [ -z "$$chosen" ]; then \
	  echo 'groundwatch needs Python 3.11 or later with venv; tried: $(or $(PYTHON),$(PYTHONS)).' >&2; \
	  echo 'Install one (Debian, Ubuntu: python3 and python3-venv), or: make setup PYTHON=/path/to/python3' >&2; \
	  exit 1; \
	fi; \
	echo "setup: .venv from $$("$$chosen" --version)"; \
	"$$chosen" -m venv .venv

# The stamp is the last thing written: a setup that broke off is done again. Hatchling comes from
# the lock too, hence no build isolation: nothing that is not pinned by hash is fetched.
$(STAMP): requirements-dev.lock pyproject.toml | .venv/bin/python
	@echo 'setup: installing the locked dependencies'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes \
	  -r requirements-dev.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation --editable .
	@touch $@

.PHONY: demo
demo: $(STAMP) ## Stream the bundled sample through the embedded monitor and show the queue
	@$(BIN)/groundwatch demo

.PHONY: test
test: $(STAMP) ## Everything that CI runs: the checks, then every test
	@$(MAKE) --no-print-directory -j 2 check build/compiled-ahead
	$(BIN)/pytest $(PARALLEL)

# Not for people, and never there. The checks keep one core busy, this the other one; what fails here,
# the test of the compiled package tells.
build/compiled-ahead: $(STAMP)
	@$(BIN)/python -m tools.compiled build/compiled >/dev/null 2>&1 || true

.PHONY: test-fast
test-fast: $(STAMP) ## The unit tests only: no servers, no sockets
	$(BIN)/pytest $(PARALLEL) tests/unit

.PHONY: check
check: $(STAMP) ## Lint, format, types, import contracts, lock files, licences, Dockerfile, no addresses
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy $(TYPED)
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.architecture.locks
	$(BIN)/python -m tests.architecture.addresses
	$(BIN)/python -m tests.architecture.licences
	$(BIN)/hadolint Dockerfile

.PHONY: format
format: $(STAMP) ## Rewrite the files as ruff wants them
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: kafka
kafka: $(STAMP) ## Run a real Apache Kafka on this machine until Ctrl-C
	@$(BIN)/python -m tools.kafka

.PHONY: dashboards
dashboards: $(STAMP) ## Write the Grafana dashboards, alerts and runbooks anew from tools/dashboards
	@$(BIN)/python -m tools.dashboards

.PHONY: chart
chart: $(STAMP) ## Write the Helm chart's table of values, and its package into dist (needs helm or Go)
	@$(BIN)/python -m tools.chart dist

.PHONY: compiled
compiled: $(STAMP) ## The package with its checks compiled to C, in build/compiled (needs a C compiler)
	@$(BIN)/python -m tools.compiled build/compiled

# PYTHONSAFEPATH: else this directory, which -m puts first, would win over the compiled package.
.PHONY: bench
bench: $(if $(SOURCE),$(STAMP),compiled) ## Measure answers a second on real Kafka and Redis, and each check (BENCH='--only checks', SOURCE=1: not compiled)
	@PYTHONSAFEPATH=1 PYTHONPATH=$(if $(SOURCE),,$(CURDIR)/build/compiled:)$(CURDIR) $(BIN)/python -m tests.bench $(BENCH)

.PHONY: instructions
instructions: compiled ## Count the instructions that an answer costs; repeats where clocks do not (needs valgrind)
	@PYTHONSAFEPATH=1 PYTHONPATH=$(CURDIR)/build/compiled:$(CURDIR) $(BIN)/python -m tests.bench.instructions

.PHONY: fuzz
fuzz: $(STAMP) ## Fuzz the reading of events and the checks (FUZZ_SECONDS=300)
	@$(BIN)/python -m tests.fuzz $(or $(FUZZ_SECONDS),300)

.PHONY: soak
soak: $(STAMP) ## The soak test for ten minutes: continuous traffic, a random fault every 20 s
	SOAK_SECONDS=600 $(BIN)/pytest --timeout=1200 tests/integration/test_soak.py

.PHONY: lock
lock: $(STAMP) ## Write the lock files anew from pyproject.toml (UPGRADE=--upgrade for newer versions)
	$(COMPILE) pyproject.toml --output-file requirements.lock
	$(COMPILE) pyproject.toml --group dev --output-file requirements-dev.lock
	$(COMPILE) --group build --constraint requirements-dev.lock --output-file requirements-build.lock

.PHONY: licences
licences: $(STAMP) ## Write docs/licences.md anew, after a change of what is locked
	@$(BIN)/python -m tests.architecture.licences --write

# Not part of check: it needs the world, and says so by failing.
.PHONY: audit
audit: $(STAMP) ## Known faults in what is shipped (needs a network; fails where it has none)
	@$(BIN)/python -m tests.architecture.audit

.PHONY: sbom
sbom: $(STAMP) ## The bill of materials of what is shipped (CycloneDX), in build/sbom.json
	@mkdir -p build
	@$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible \
	  --output-file build/sbom.json requirements.lock

.PHONY: clean
clean: ## Remove .venv, caches and build results (not groundwatch-data)
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	rm -rf build dist *.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
