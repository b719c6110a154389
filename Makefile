# Leadwright: run, test, check, bench, and a few helpers. `make help` lists them.
# Nothing but Python 3.11 and make is needed: everything else comes from requirements.txt into .venv.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help venv run serve stop status test slow chaos fuzz fuzz-coverage pictures check check-code check-mail-servers check-on-servers check-migrations check-schema test-database bench clients client-of-generator lint-schema format clean

# (The closing `true` matters: make takes a shell's exit code 127, here of a name that isn't found, for its own failure.)
PYTHON ?= $(shell for name in python3.11 python3 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v "$$name" && break; done; true)
BIN := .venv/bin
STAMP := .venv/requirements.stamp
PACKAGES := core accounts billing crm outreach workflows config
# Runs a command on throw-away PostgreSQL and Redis servers of its own.
ON_SERVERS := $(BIN)/python -m config.local.embedded run
# With MAKE itself in a recipe's line, `make -n` would run the line: with servers that must only be printed.
MAKE_ON_SERVERS := $(MAKE)
# One more than the two cores that the suite is meant for: the long tests wait more than they compute.
TEST_WORKERS ?= 3
# What failed beside thousands of others runs once more, alone, where the check is on a machine that others load too: a
# test that waits for something may have lost its patience. Nothing but failed tests (pytest's exit code 1) gets this.
FAILED_ALONE = { test $$? -eq 1 && $(BIN)/pytest -n 0 --exitfirst --last-failed --last-failed-no-failures none; }

# Bytecode is kept in one place, even where the environment says to write none: without it a test session compiles for ten seconds.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/pycache
export PYTHONDONTWRITEBYTECODE :=
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_ROOT_USER_ACTION := ignore

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(STAMP) ## make .venv and install requirements.txt into it when that has changed

# The importer of the predecessor's data has an optional package of its own, which its tests need.
IMPORTER_REQUIREMENTS := config/predecessor/requirements.txt

$(STAMP): requirements.txt $(IMPORTER_REQUIREMENTS)
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; name it with: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv --clear .venv </dev/null
	@echo "Installing requirements.txt into .venv …"
	@$(BIN)/python -m pip install --quiet --requirement requirements.txt --requirement $(IMPORTER_REQUIREMENTS) </dev/null
	@touch $@

run: venv ## start everything with the demo company, in the foreground; Ctrl-C stops it (HOST, PORT, LEADWRIGHT_DATA)
	@exec $(BIN)/python -m config.local.supervisor

# Static files of the release, compressed and under hashed names.
COLLECTED := staticfiles/staticfiles.json
$(COLLECTED): requirements.txt $(wildcard */static/*/*)
	@$(BIN)/python manage.py collectstatic --noinput --verbosity 0

serve: venv $(COLLECTED) ## the same without the demo company
	@exec $(BIN)/python -m config.local.supervisor --no-demo

stop: venv ## stop embedded servers that a killed run left behind
	@$(BIN)/python -m config.local.embedded stop

status: venv ## say which embedded servers run, and what each program takes of memory
	@$(BIN)/python -m config.local.embedded status

# Of the pages and operations that tests walk over, `make test` looks at every fifth. Tests that are named, and
# `make check`, look at all of them.
EVERY ?= $(if $(ARGS),1,5)

test: venv ## the test suite (make check and make slow add to it), which starts servers of its own (ARGS="tests/crm -k import")
	SUITE_EVERY=$(EVERY) $(BIN)/pytest -n $(TEST_WORKERS) --dist worksteal $(ARGS) $(if $(SECOND_TRY),|| $(FAILED_ALONE))

slow: venv ## the tests that take too long for the suite: the chaos tests, each page in each look, all hostile values
	$(BIN)/pytest -n 0 -m slow $(ARGS)

chaos: venv ## the chaos tests alone, in their full length
	$(BIN)/pytest -n 0 -m slow -k chaos $(ARGS)

fuzz: venv ## the API fuzzer in its full length, and every property test, on examples that are new each time (FUZZ_EXAMPLES)
	FUZZ_EXAMPLES=$${FUZZ_EXAMPLES:-50} HYPOTHESIS_PROFILE=search $(BIN)/pytest -n $(TEST_WORKERS) -m hypothesis $(ARGS)

fuzz-coverage: venv ## the API fuzzer's edge cases of every operation, within the process
	FUZZ_COVERAGE=1 $(BIN)/pytest -n $(TEST_WORKERS) --dist worksteal tests/fuzz $(ARGS)

pictures: venv ## take the pictures of the documents anew, from the demo that `make run` serves (ADDRESS)
	$(BIN)/python -m tests.browser.pictures

check: venv ## what CI runs: lint, types, imports, migrations, schema, the fuzzer's edge cases, tests
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target check-code check-on-servers
	$(BIN)/python -m tests.browser.chromium
	@NEEDS_BROWSER=1 FUZZ_COVERAGE=1 $(MAKE) --no-print-directory test SECOND_TRY=1 EVERY=1

# Those on the servers are three chains of one processor each, and mypy is the fourth: two processors are never idle.
check-on-servers: venv
	@MAKEFLAGS= $(ON_SERVERS) -- $(MAKE_ON_SERVERS) --no-print-directory --jobs=2 --output-sync=target check-migrations check-schema test-database

check-code: venv
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(PACKAGES)
	$(BIN)/lint-imports

check-migrations: venv
	DEVELOPMENT_APPS=django_migration_linter $(BIN)/python manage.py lintmigrations
	$(BIN)/python manage.py makemigrations --check --dry-run

check-schema: venv
	$(BIN)/python manage.py check
	@mkdir -p var
	DJANGO_SETTINGS_MODULE=config.settings $(BIN)/python -m tests.kit.check_schema

test-database: venv
	@LEADWRIGHT_TEST_SERVERS=1 DJANGO_SETTINGS_MODULE=tests.settings $(BIN)/python -m tests.kit.prepare

check-mail-servers: venv ## a campaign by Postfix, Dovecot and SpamAssassin of Debian, where they are installed (as root); on loopback, in a folder of its own
	$(BIN)/pytest -n 0 -m "slow or not slow" tests/outreach/mail_servers tests/outreach/messaging/deliverability/test_spam_signs.py $(ARGS)

bench: venv ## the benchmarks, with their ratios, on durable servers of their own (ARGS)
	$(ON_SERVERS) --durable -- $(BIN)/python -m benchmarks $(ARGS)

# Generated code stays in var/: it is as long as the service itself.
CLIENTS := var/clients
clients: venv ## generate the clients from the schema into var/clients, and try them (needs npm; with Java one more)
	@mkdir -p $(CLIENTS)/typescript
	$(BIN)/python manage.py api_schema --output $(CLIENTS)/openapi.json
	@test -x $(CLIENTS)/venv/bin/pip || $(PYTHON) -m venv $(CLIENTS)/venv
	$(CLIENTS)/venv/bin/pip install --quiet --requirement clients/requirements.txt
	$(CLIENTS)/venv/bin/openapi-python-client generate --path $(CLIENTS)/openapi.json --config clients/python.yaml \
		--meta setup --output-path $(CLIENTS)/python --overwrite
	$(CLIENTS)/venv/bin/pip install --quiet $(CLIENTS)/python
	@! command -v java >/dev/null || $(MAKE) --no-print-directory client-of-generator
	cp -R clients/typescript/. $(CLIENTS)/typescript/
	cd $(CLIENTS)/typescript && npm install --no-audit --no-fund --silent && npm run --silent generate && npm run --silent build
	$(BIN)/pytest -n 0 -m slow tests/clients

client-of-generator:
	$(CLIENTS)/venv/bin/openapi-generator-cli generate --generator-name python --input-spec $(CLIENTS)/openapi.json \
		--config clients/generator.yaml --output $(CLIENTS)/python-generator >$(CLIENTS)/python-generator.log
	$(CLIENTS)/venv/bin/pip install --quiet --requirement $(CLIENTS)/python-generator/requirements.txt

LINT := var/schema-lint
lint-schema: venv ## lint the schema by spectral, redocly and, after make clients, openapi-generator (needs npm)
	@mkdir -p $(LINT)
	cp clients/lint/* $(LINT)/
	$(BIN)/python manage.py api_schema --part whole --output $(LINT)/openapi.json
	cd $(LINT) && npm install --no-audit --no-fund --silent && npm run --silent spectral && npm run --silent redocly
	@! test -x $(CLIENTS)/venv/bin/openapi-generator-cli || \
		$(CLIENTS)/venv/bin/openapi-generator-cli validate --input-spec $(LINT)/openapi.json

format: venv ## format the code and mend what the linter can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove .venv and caches; data in var/ stays
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -not -path './var/*' -prune -exec rm -rf {} +
