# The few commands a person needs. README.md gives the raw pip lines for machines without make.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready
WEB    := build/web/.built
# More than there are cores: half of what a test with a browser or another process takes is waiting.
JOBS   ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 2 )))

.PHONY: demo test test-long lint bench setup webapp chromium node postgresql words screens clean

demo: $(WEB)
	@echo "Setting up the demo city, or finding it again ..."
	$(PY) -m sync.server.cli demo

setup: $(READY)

$(READY): constraints.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Siltwatch needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@echo "Installing the libraries into $(VENV), each checked against its pinned hash (some minutes the first time) ..."
	$(PY) -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r constraints.txt
	@$(PY) -m compileall -q -j 0 $(VENV)/lib >/dev/null || true  # as pip does, on all processors
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

webapp: $(WEB)

$(WEB): $(READY) $(shell find field_app sync assets -type f -not -name '*.pyc' -not -path '*/server/*' 2>/dev/null)
	@echo "Building the tablet app into build/web: fetching what runs in the browser, then packing it (some minutes the first time) ..."
	$(PY) -m field_app.packaging.web --out build/web --base-href /app/
	touch $@

chromium:
	@command -v chromium >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Debian's chromium for the browser tests"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null; \
	  else \
	    echo "The browser tests need the program 'chromium': install it (Debian: apt-get install chromium), then run make test again."; exit 1; \
	  fi; }

# One test uploads with the client that browsers use: it is fetched once, from its lock file, into build/uploads_js.
node:
	@command -v node >/dev/null && command -v npm >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Debian's nodejs and npm for the upload tests"; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq nodejs npm >/dev/null; \
	  else \
	    echo "The upload tests need the programs 'node' and 'npm': install them (Debian: apt-get install nodejs npm), then run make test again."; exit 1; \
	  fi; }

# A server of its own is started for each run of the tests: the package need not make one that runs for ever.
postgresql:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    echo "Installing Debian's postgresql for the database tests"; \
	    mkdir -p /etc/postgresql-common && [ -e /etc/postgresql-common/createcluster.conf ] || \
	      echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.conf; \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq -o Dpkg::Options::=--force-confold --no-install-recommends postgresql >/dev/null; \
	  else \
	    echo "The database tests need the programs of PostgreSQL: install them (Debian: apt-get install postgresql), then run make test again."; exit 1; \
	  fi; }

test: $(WEB) chromium node postgresql
	$(PY) -m pytest -n $(JOBS) -m "not long"

# Everything, and what takes long: new runs of the sync state machine for SILTWATCH_LONG seconds, 2,000 photos over a bad
# line. make test-long SILTWATCH_LONG=14400 plays for four hours; a run that fails names its SILTWATCH_SEED, which plays
# it again. SILTWATCH_EXAMPLES and SILTWATCH_STEPS set how much of it is in every run.
SILTWATCH_LONG ?= 600
test-long: $(WEB) chromium node postgresql
	SILTWATCH_LONG=$(SILTWATCH_LONG) $(PY) -m pytest -n $(JOBS)

lint: $(READY)
	$(PY) -m ruff check .
	$(VENV)/bin/lint-imports

bench: $(WEB)
	$(PY) -m tests.bench $(NAME)

clean:
	rm -rf build dist
