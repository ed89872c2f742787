# make demo    sets up .venv, compares the six fabrics, and a wider mesh, on a built-in workload, draws a picture
# make test    tests and checks of every change
# make nightly  checks that take too long for every change: long tests, hostile inputs, lowest library versions, notebooks, proofs, real traces, grep, times
# make prove-rtl  a short proof of the router in rtl/, and a check of its documented area; installs Yosys
# make same    fails if a report of conformance/reports.toml has changed; BASE=<commit> compares every figure with that commit's, BLESS="ROW ..." replaces rows
# make test-extensions  the program of examples/extensions, compared with runs of built-in policies
# make test-lowest  tests of the oldest library versions that pyproject.toml allows
# make check   formatting, lints and types only
# make stubs   the type stubs of drives, workloads and reports in python/venice, for mypy and editors that read the source tree
# make docs    pages of docs/ as a site, in target/site; fails if a link is broken. NOTEBOOKS=true runs notebooks and shows their results
# make install  installs the package into .venv, with the build that compiles fastest
# make dev     the same, incrementally: half a minute after an edit
# make tuned   the build of the wheels: link-time optimisation and a profile of runs; faster, but twenty minutes to build
# make audit   advisories, licences and sources of all dependencies, against the databases of RustSec and PyPI; needs cargo-deny
# make bench   the speed of the engine and of whole commands; some minutes
# make bench-pairs BASE=COMMIT  profile-guided builds of COMMIT and of HEAD in pairs; fails if a case is slower by more than 5 %
# make fuzz    every fuzz target for FUZZ_S seconds each; needs a nightly toolchain and cargo-fuzz
# make hostile  1,000 hostile inputs for all entry points and 300 random drives under --audit; SEED=2 draws others
# make agreement  writes conformance/results/mqsim-agreement.json from the runs of MQSim in $VENICE_SHARED
# make reproduce-venice  runs the Venice paper again (quick) and writes its scorecard into conformance/results and its figures into docs/; ten minutes
# make reproduce-together  runs the searches beside host requests again (quick) and writes their results and figure into conformance/results and docs/; some minutes
# make real-traces  writes conformance/results/real-traces.json from the traces in $VENICE_SHARED; some minutes
# make grep-grid  writes conformance/results/pif-grep-grid.json: 300 MB of this machine's text, every state of wear, every option; a quarter of an hour; an interrupted run continues
# make sql-grid   130 mixed and 5,000 random conditions on tables against DuckDB, with the newest libraries and the lowest; some minutes
# make clean   removes the files that the other targets have created
# See CONTRIBUTING.md for the rest.

SHELL := /bin/bash
# A comma that does not separate arguments of a function of make.
, := ,
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# The first installed Python that works and is new enough; set PYTHON to choose another.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for name in python3 python3.15 python3.14 python3.13 python3.12 python3.11; do \
	$$name -c '$(NEW_ENOUGH)' 2>/dev/null && { echo $$name; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
# uv, which pip installs; it installs Python packages several times as fast as pip.
UV := $(BIN)/uv
INSTALL := $(UV) pip install --quiet --python $(BIN)/python

DEMO_WORKLOAD ?= strided-read
# The drive of the paper, and its mesh with as much wire as the bus has.
DEMO_DRIVES ?= venice-performance:all venice-equal-wires
DEMO_PLOT := out/demo.png

# Stubs that `make stubs` writes.
GENERATED := -not -name __init__.pyi -not -name figure_types.pyi
SOURCES := pyproject.toml README.md Cargo.toml Cargo.lock .cargo/config.toml $(shell find crates presets python/venice tools -type f \
	$(GENERATED) -not -name '*.pyc' -not -path 'crates/*/tests/*' -not -path 'crates/*/benches/*')

# The newest wheel in dist/, unless a source is newer: with it, neither a build nor Rust is needed.
WHEEL ?= $(shell wheel=$$(ls -t dist/venice_ssd-*.whl 2>/dev/null | head -n 1); \
	test -n "$$wheel" && test -z "$$(find pyproject.toml Cargo.lock crates presets python/venice tools -type f -newer "$$wheel" \
	$(GENERATED) -not -name '*.pyc' -print -quit)" && echo "$$wheel")

.PHONY: rustdoc same python-is-there rust-is-there help docs audit audit-rust audit-python reproduce-venice reproduce-together bench bench-pairs hostile hostile-nightly nightly pytest-nightly test-rust-nightly docs-nightly real-traces-nightly demo dev stubs tuned real-traces agreement fuzz grep-grid grep-grid-nightly sql-grid install test test-rust test-extensions test-rtl prove-rtl test-python test-lowest check lint clean prerequisites

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo: install
	@mkdir -p out
	@$(BIN)/venice compare $(DEMO_DRIVES) --workload $(DEMO_WORKLOAD) --plot $(DEMO_PLOT)
	@echo "The picture is $(DEMO_PLOT)."

install: $(VENV)/.installed

# Incremental, in a separate target folder, so that little is compiled after an edit.
dev: $(VENV)/.builder
	@export CARGO_INCREMENTAL=1; $(call build_and_install,target/dev)
	@touch $(VENV)/.installed

# Other targets install the ordinary build again once a source has changed.
tuned: $(VENV)/.installed
	@rustup component add llvm-tools
	@rm -rf target/tuned
	$(BIN)/maturin build --release --pgo --features huge-pages --interpreter $(BIN)/python --out target/tuned
	@$(BIN)/python -m tools.stubs target/tuned/*.whl
	@$(INSTALL) --reinstall --no-deps target/tuned/*.whl

# The compiler and what follows it cannot always use both processors; the Python tests use what is left, at a lower priority.
BESIDE := nice -n 5
test: $(VENV)/.installed $(VENV)/.tools
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-rust test-python check test-extensions test-rtl

# Without MAKEFLAGS, rustdoc does not look for the job server of `make test`, and does not warn that it is missing.
test-rust: prerequisites
	MAKEFLAGS= cargo test --workspace --locked

# Runs the program of the crate and reads its reports with the package; the crate's tests are among the other tests.
test-extensions: test-rust $(VENV)/.installed
	@examples/extensions/run

# The router in SystemVerilog, if a simulator for it is installed.
test-rtl: test-rust
	@if verilator --version 2>/dev/null | grep -q '^Verilator 5'; then $(MAKE) -C rtl test; \
		else echo "Verilator 5 is not installed: the router in rtl/ is not tested"; fi

prove-rtl: $(VENV)/.rtl-tools
	$(MAKE) -C rtl ci

$(VENV)/.rtl-tools: $(VENV)/.builder | $(VENV)/.tools
	@echo "Installing Yosys ..."
	@$(INSTALL) --group rtl
	@touch $@

# Number of processes that run the Python tests.
WORKERS ?= 2
test-python: $(VENV)/.installed $(VENV)/.tools
	$(BESIDE) $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal --durations 30 --durations-min 2

# Compares the installed engine with the rows of conformance/reports.toml, or with the engine of another commit.
BASE_BUILD := $(if $(BASE),target/same/$(or $(shell git rev-parse --short=12 --verify --quiet '$(BASE)^{commit}'),\
	$(error BASE is `$(BASE)`, which is no commit; expected: a commit, a branch or a tag)))
same: $(VENV)/.installed $(VENV)/.tools $(addsuffix /package,$(BASE_BUILD))
	@$(BIN)/python conformance/same.py $(addprefix --base ,$(BASE_BUILD)) $(if $(BLESS),--bless $(BLESS))

# The package of a commit, in a folder with its sources; dependencies are compiled once for all commits. The profile is one
# that every commit has, without settings that slow the build down.
QUICKLY := CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_DEBUG=false
target/same/%/package: | $(VENV)/.builder
	@rm -rf $(@D) && mkdir -p $(@D)/source
	@git archive $* | tar -x -C $(@D)/source
	@echo "Building Venice at $* ..."
	@cd $(@D)/source && $(QUICKLY) PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --quiet --release \
		--interpreter $(CURDIR)/$(BIN)/python --target-dir $(CURDIR)/target/same/build --out $(CURDIR)/$(@D)/wheels
	@$(INSTALL) --no-deps --target $@.new $(@D)/wheels/*.whl
	@mv $@.new $@

# Times are measured last, with no other job running.
nightly: pytest-nightly test-rust-nightly hostile-nightly test-lowest docs-nightly prove-rtl real-traces-nightly grep-grid-nightly
	$(MAKE) bench-pairs

# All random cases, and tests that take minutes.
test-rust-nightly: prerequisites
	VENICE_NIGHTLY=1 VENICE_RANDOM_DRIVES=2100 cargo test --workspace --locked -- --include-ignored

pytest-nightly: $(VENV)/.installed $(VENV)/.tools
	$(BIN)/python -m pytest -m nightly

# The oldest libraries that pyproject.toml allows, before the newest ones on Python's path.
LOWEST := $(VENV)/lowest
LOWEST_OF := click==8.2.1 duckdb==1.4.0 numpy==1.26.0 optuna==4.0.0 pyarrow==18.0.0 rich==13.0.0 sqlglot==27.0.0 tomlkit==0.13.0 vl-convert-python==1.8.0

$(LOWEST): Makefile | $(VENV)/.builder $(VENV)/.tools
	@$(INSTALL) --target $@ $(LOWEST_OF)
	@touch $@

test-lowest: $(VENV)/.installed $(VENV)/.tools $(LOWEST)
	PYTHONPATH="$(CURDIR)/$(LOWEST)" $(BIN)/python -m pytest -q \
		python/tests/test_sql.py python/tests/test_filter_table.py python/tests/test_request_log.py \
		python/tests/test_explore.py python/tests/test_progress.py python/tests/test_view.py \
		python/tests/test_command_line.py python/tests/test_completion.py python/tests/test_migrate.py

stubs: $(VENV)/.installed
	@$(BIN)/python -m tools.stubs python

# Broken links end the build. The site contains these pages.
rustdoc: rust-is-there
	RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps --document-private-items --locked --quiet

check lint: $(VENV)/.installed $(VENV)/.tools stubs
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=python $(BIN)/lint-imports --no-logo

audit: audit-rust audit-python

audit-rust: rust-is-there
	@cargo deny --version >/dev/null 2>&1 \
		|| { echo "error: cargo-deny is missing: install it (cargo install --locked cargo-deny)" >&2; exit 1; }
	cargo deny --locked check
	cargo deny --locked --manifest-path fuzz/Cargo.toml check

AUDIT := $(VENV)/audit
# Vulnerabilities that do not affect Venice, each with the reason in a comment. Those of crates are listed in deny.toml.
IGNORED_VULNERABILITIES :=

$(AUDIT)/.installed: pyproject.toml | $(VENV)/.builder
	@$(UV) venv --quiet --clear --python $(BIN)/python $(AUDIT)
	@$(UV) pip install --quiet --python $(AUDIT)/bin/python --group audit
	@touch $@

audit-python: $(AUDIT)/.installed
	$(AUDIT)/bin/python .ci/requirements.py > $(AUDIT)/requirements.txt
	$(AUDIT)/bin/pip-audit --strict --progress-spinner off --requirement $(AUDIT)/requirements.txt \
		$(addprefix --ignore-vuln ,$(IGNORED_VULNERABILITIES))

# In a separate environment, so that the package can be installed at the same time.
SITE := $(VENV)/site

$(SITE)/.installed: pyproject.toml | $(VENV)/.builder
	@echo "Installing the generator of the site ..."
	@$(UV) venv --quiet --clear --python $(BIN)/python $(SITE)
	@$(UV) pip install --quiet --python $(SITE)/bin/python --group docs
	@touch $@

# Notebooks are run by the Python of the package, which is registered with Jupyter as `venice`.
NOTEBOOKS ?= false
docs: $(SITE)/.installed $(VENV)/.installed $(VENV)/.tools stubs rustdoc
	@$(BIN)/python -m tools.reference docs/reference
	@$(BIN)/python -m tools.gallery docs/gallery.md docs/images/gallery
	@$(BIN)/python -m tools.notebooks docs/notebooks
	@$(BIN)/python -m ipykernel install --prefix $(SITE) --name venice 2>/dev/null >&2
	NO_MKDOCS_2_WARNING=1 NOTEBOOKS=$(NOTEBOOKS) $(SITE)/bin/mkdocs build
	@cp -r target/doc target/site/rust

docs-nightly:
	$(MAKE) docs NOTEBOOKS=true

bench: install
	cargo bench --package venice-sim --package venice-requests --package venice-ecc --package venice-pif --locked
	$(BIN)/python benches/whole_commands.py

# The default is the newest release or, if there is none, the state of a day ago.
BASE ?= $(shell git describe --tags --match 'v*' --abbrev=0 2>/dev/null || git rev-list -1 --before='1 day ago' HEAD)
PAIRS := target/pairs
bench-pairs: prerequisites
	benches/build_commit $(BASE) $(PAIRS)/base $(PYTHON)
	benches/build_commit HEAD $(PAIRS)/head $(PYTHON)
	$(PAIRS)/head/venv/bin/python benches/pairs.py $(PAIRS)/base/venv/bin/venice $(PAIRS)/head/venv/bin/venice

# The corpus begins with the tiny traces, each with a byte for its format (255: detected) and a byte of options.
FUZZ_S ?= 600
fuzz:
	@cargo fetch --locked --manifest-path fuzz/Cargo.toml
	@mkdir -p fuzz/corpus/traces
	@for file in conformance/traces/*.txt conformance/traces/*.bin; do \
		{ printf '\377\000'; cat "$$file"; } > "fuzz/corpus/traces/$$(basename "$$file")"; done
	@for target in traces columns; do \
		cargo +nightly fuzz run "$$target" -- -max_total_time=$(FUZZ_S) -rss_limit_mb=2048; done

# Each failure is reported with the command that draws its input again.
SEED ?= 1
HOSTILE := $(BIN)/python -m python.tests.hostile
hostile: $(VENV)/.installed $(VENV)/.tools
	$(HOSTILE) --seed $(SEED) --inputs 1000
	$(HOSTILE) --seed $(SEED) --inputs 300 --entrance random-drives

hostile-nightly: $(VENV)/.installed $(VENV)/.tools
	$(HOSTILE) --seed 1 2 3 --inputs 1000
	$(HOSTILE) --seed 1 2 3 --inputs 300 --entrance random-drives

agreement: $(VENV)/.installed
	$(BIN)/python -m python.tests.mqsim_agreement

VENICE_OUT := out/reproduce-quick
VENICE_FIGURES := hot-channel equal-wires equal-wires-map load skew related

reproduce-venice: $(VENV)/.installed
	$(BIN)/venice reproduce venice --quick --out $(VENICE_OUT)
	$(BIN)/python -m tools.results $(VENICE_OUT)/scorecard.md conformance/results/venice-scorecard.json
	for name in $(VENICE_FIGURES); do cp $(VENICE_OUT)/$$name.png docs/images/venice-$$name.png; done

reproduce-together: $(VENV)/.installed
	$(BIN)/venice reproduce together --quick --out $(VENICE_OUT)
	$(BIN)/python -m tools.results $(VENICE_OUT)/scorecard.md conformance/results/together.json
	cp $(VENICE_OUT)/together.png docs/images/together.png

real-traces: $(VENV)/.installed
	$(BIN)/python -m python.tests.real_traces

# The committed results are those of the current build.
real-traces-nightly: $(VENV)/.installed
	@if [ -d "$${VENICE_SHARED:-../shared}/traces" ]; then $(MAKE) real-traces && git diff --exit-code conformance/results/real-traces.json; \
		else echo "The published traces are not there: real-traces.json is not checked; set VENICE_SHARED"; fi

GRID_MEGABYTES ?= 300
GRID_RESULTS ?= conformance/results/pif-grep-grid.json
grep-grid: $(VENV)/.installed
	$(BIN)/python -m python.tests.grep_grid --megabytes $(GRID_MEGABYTES) --results $(GRID_RESULTS) --out out/grep-grid-$(GRID_MEGABYTES)

# Results of this machine's text; those in the repository are of another.
grep-grid-nightly:
	$(MAKE) grep-grid GRID_RESULTS=target/pif-grep-grid.json

SQL_RANDOM ?= 5000
sql-grid: $(VENV)/.installed $(VENV)/.tools $(LOWEST)
	$(BIN)/python -m python.tests.sql_grid --random $(SQL_RANDOM)
	PYTHONPATH="$(CURDIR)/$(LOWEST)" $(BIN)/python -m python.tests.sql_grid --random $(SQL_RANDOM)

clean:
	rm -rf $(VENV) out target

prerequisites: python-is-there rust-is-there

python-is-there:
	@test -n "$(PYTHON)" && "$(PYTHON)" -c '$(NEW_ENOUGH)' 2>/dev/null \
		|| { echo "error: Python 3.11 or later is missing: install it (Debian, Ubuntu: apt install python3 python3-venv; macOS: brew install python)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "error: Python's venv module is missing: install it (Debian, Ubuntu: apt install python3-venv)" >&2; exit 1; }

rust-is-there:
	@command -v cargo >/dev/null \
		|| { echo "error: Rust is missing: install it from https://rustup.rs" >&2; exit 1; }
	@command -v cc >/dev/null \
		|| { echo "error: a C compiler is missing: install it (Debian, Ubuntu: apt install build-essential; macOS: xcode-select --install)" >&2; exit 1; }

# Without isolation, so that the interpreter's path never changes and cargo recompiles nothing.
$(VENV)/.builder: pyproject.toml | python-is-there $(if $(WHEEL),,rust-is-there)
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@echo "Installing the build tools ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.8,<1'
	@$(INSTALL) 'maturin>=1.13,<2' 'wheel>=0.40'
	@touch $@

# Builds a wheel in a target folder, with Cargo's profile `dev`, and installs it.
define build_and_install
rm -rf $(1)/wheels && PATH="$(CURDIR)/$(BIN):$$PATH" maturin build --quiet --profile dev --interpreter $(BIN)/python \
	--target-dir $(1) --out $(1)/wheels && $(BIN)/python -m tools.stubs $(1)/wheels/*.whl \
	&& $(INSTALL) --reinstall-package venice-ssd "$$(echo $(1)/wheels/*.whl)[parquet,plot]"
endef

$(VENV)/.installed: $(VENV)/.builder $(SOURCES)
	@echo "$(if $(WHEEL),Installing $(WHEEL),Building and installing Venice; the first time takes two or three minutes) ..."
	@$(if $(WHEEL),$(INSTALL) '$(WHEEL)[parquet$(,)plot]',$(call build_and_install,target))
	@touch $@

# After the package, so that parallel targets do not install at the same time.
$(VENV)/.tools: $(VENV)/.builder | $(VENV)/.installed
	@echo "Installing the test tools ..."
	@$(INSTALL) --group dev
	@touch $@
