# What people type: `make run` to browse, `make test` to check, `make mutate` to see what the tests would not notice,
# `make bench` to measure pages and imports (docs/benchmark.md).
# PORT= changes the port, PYTHON= the interpreter, CONDITION= what is different on another machine (docs/testing.md).
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
# The server is granian, with one heap for all its threads.
SERVER := env MALLOC_ARENA_MAX=1 $(BIN)/python -m podcast_catalog.serve "$(PORT)"
STATIC := staticfiles/staticfiles.json

.PHONY: run install serve test test-all mutate bench lint pins supply-chain

# With OFFLINE=1 nothing asks another server. OFFLINE=0 and OFFLINE=off are as without it.
run: .venv/installed .venv/installed-meaning .env $(STATIC)
	@exec $(SERVER) --sample $(if $(filter-out 0 off no false,$(OFFLINE)),,--schedule)

# An empty, ready catalog.
install: .venv/installed .env
	@$(MANAGE) migrate --verbosity 0

serve: .venv/installed .env $(STATIC)
	@exec $(SERVER)

$(STATIC): podcast_catalog/static_files.py $(shell find static) .venv/installed | .env
	@$(MANAGE) collectstatic --noinput --verbosity 0

test: .venv/installed-dev .venv/installed-meaning .ci/tools/installed
	@$(BIN)/python .ci/suites.py

test-all: .venv/installed-dev .venv/installed-meaning .ci/tools/installed
	@$(BIN)/python .ci/suites.py --all

# `make mutate` for the lines of the last commit, `make mutate SAMPLE=200` for places of the whole program.
mutate: .venv/installed-dev
	@$(BIN)/python .ci/mutate.py $(if $(SAMPLE),--sample $(SAMPLE),$(BASE))

# `make bench EPISODES=10000 ITEMS=10000 DATABASE_URL=…`
bench: .venv/installed
	@$(BIN)/python -m bench.pages $(EPISODES)
	@$(BIN)/python -m bench.imports $(ITEMS)
	@$(BIN)/python -m bench.resolving $(EPISODES)

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djade --check --target-version 5.2 $$(find templates/django -name '*.html')
	$(BIN)/djlint --quiet --lint $$(find templates -name '*.html' -not -path '*/django/*')
	$(BIN)/python -m mypy

pins: .venv/installed-dev
	$(BIN)/pip install --quiet uv
	for name in requirements requirements-meaning requirements-dev; do \
		$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade --quiet \
			$$name.in --output-file $$name.txt; \
	done
	cd .ci/tools && rm package-lock.json && npm install --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund

# What the site is made of: a bill of materials (CycloneDX), the licences, and known vulnerabilities (asks pypi.org).
SUPPLY := .ci/tools/supply-chain
supply-chain:
	$(PYTHON) -m venv --clear $(SUPPLY)/site && $(SUPPLY)/site/bin/pip install --quiet --requirement requirements.txt --requirement requirements-meaning.txt
	$(PYTHON) -m venv --clear $(SUPPLY)/tools && $(SUPPLY)/tools/bin/pip install --quiet cyclonedx-bom pip-audit pip-licenses
	$(SUPPLY)/tools/bin/cyclonedx-py environment $(SUPPLY)/site --output-file $(SUPPLY)/sbom.json
	$(SUPPLY)/tools/bin/pip-licenses --python $(SUPPLY)/site/bin/python
	$(SUPPLY)/tools/bin/pip-audit --requirement requirements.txt --requirement requirements-meaning.txt --require-hashes --disable-pip

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: requirements.txt | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements.txt
	@touch $@

# Search by meaning is an addition: without these packages everything else works.
.venv/installed-meaning: requirements-meaning.txt .venv/installed
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-meaning.txt \
		&& touch $@ || echo "Search by meaning is off: its packages could not be installed."

.venv/installed-dev: requirements-dev.txt .venv/installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement requirements-dev.txt
	@touch $@

# The checkers of pages; without npm they are left out, and the tests say so.
.ci/tools/installed: .ci/tools/package-lock.json
	@if command -v npm > /dev/null; then \
		cd .ci/tools && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch installed; \
	fi

.env:
	@umask 077; $(BIN)/python -c "import secrets; print('SECRET_KEY=' + secrets.token_urlsafe(50))" > .env
	@echo "Wrote .env with a random SECRET_KEY; .env.example explains all settings."
