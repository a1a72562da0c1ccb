# Everything that this repository can do, one target each. `make help` lists them.
#
# One release profile and one target folder serve the wheel, the tests and the benches, so that dependencies compile once.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CARGO ?= cargo
# Everything but the Python extension, which maturin builds and pytest tests.
RUST := --release --workspace --exclude kinetic-python
DEMO_OUT := demo-output
title = @printf '\n\033[1m== %s\033[0m\n' '$(1)'

# The recipes below must meet one virtual environment whatever the caller has activated.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport CONDA_PREFIX
unexport PYTHONPATH
unexport PYTHONHOME
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export CARGO_TERM_COLOR ?= auto
export NO_MKDOCS_2_WARNING := 1
export RUSTDOCFLAGS := -D warnings

.DEFAULT_GOAL := help
# Steps depend on each other through files that make does not see, and cargo uses all cores by itself.
.NOTPARALLEL:
.PHONY: help toolchain setup build demo picture test quick test-full fmt fmt-check clippy rustdoc test-rust features layers licences \
        real-files lint-py typecheck stubs stubs-check test-py docs docs-check robots robots-table wheel-check bench clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  \033[1m%-14s\033[0m %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- setting up ------------------------------------------------------------------------------------------------------

toolchain: ## check that Rust, a C linker and Python are there, and say what to do if not
	@PYTHON="$(PYTHON)" CARGO="$(CARGO)" bash tools/check_toolchain.sh

$(BIN)/maturin: pyproject.toml
	$(call title,virtual environment $(VENV))
	@PYTHON="$(PYTHON)" bash tools/make_venv.sh $(VENV)
	@touch $@

build: toolchain $(BIN)/maturin ## build the extension (release) into .venv, with what the demo needs
	$(call title,build the extension)
	$(BIN)/maturin develop --release --extras viz

setup: toolchain $(BIN)/maturin ## build the extension into .venv, with everything that tests and docs need
	$(call title,build the extension and install the tools)
	$(BIN)/maturin develop --release --extras viz,test,dev,docs

# --- using it --------------------------------------------------------------------------------------------------------

demo: build ## set everything up, plan the demo motion and draw it
	$(call title,demo)
	@$(BIN)/kinetic demo --out $(DEMO_OUT)
	@printf '\nThe picture is %s\n' '$(CURDIR)/$(DEMO_OUT)/demo.png'

picture: build ## draw the demo anew for README and documentation
	@$(BIN)/kinetic demo --out target/demo
	cp target/demo/demo.png docs-site/assets/demo.png

bench: toolchain ## run the criterion benches
	$(CARGO) bench --workspace --exclude kinetic-python --profile release

# --- checking it -----------------------------------------------------------------------------------------------------

test: ## everything that must hold before a change lands
	@$(MAKE) --no-print-directory toolchain $(BIN)/maturin fmt-check layers clippy rustdoc test-rust features
	@$(MAKE) --no-print-directory setup licences lint-py typecheck stubs-check test-py docs-check wheel-check
	$(call title,all checks passed)

quick: ## what an edit of Rust needs, in some minutes: formatting, layers, and its tests without the documentation's examples
	@$(MAKE) --no-print-directory toolchain fmt-check layers
	$(call title,cargo test)
	$(CARGO) test $(RUST) --locked --lib --tests

test-full: ## the same with the full number of random cases
	@KINETIC_FULL=1 $(MAKE) --no-print-directory test real-files

real-files: setup ## robot files of public packages against Pinocchio and MuJoCo; downloads them once
	$(call title,real files)
	$(BIN)/maturin develop --release --extras corpus
	$(BIN)/python benches/real_files/urdf.py --check
	$(BIN)/python benches/real_files/mjcf.py --check

fmt: ## format Rust and Python
	$(CARGO) fmt --all
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

fmt-check: ## formatting of Rust
	$(call title,cargo fmt)
	$(CARGO) fmt --all --check

clippy: $(BIN)/maturin ## lints of Rust, warnings are errors
	$(call title,clippy)
	@# The build script of the Python extension asks the interpreter of VIRTUAL_ENV, hence the dependency.
	$(CARGO) clippy --release --workspace --all-targets --locked -- -D warnings

rustdoc: ## documentation of Rust, warnings are errors
	$(call title,rustdoc)
	$(CARGO) doc $(RUST) --no-deps --locked

test-rust: ## tests of Rust, with the documentation's examples
	$(call title,cargo test)
	$(CARGO) test $(RUST) --locked

features: ## the library without any of its cargo features, and with the one that is off by default
	$(call title,cargo features)
	$(CARGO) test --release --locked --package kinetic-robot --no-default-features --test features
	$(CARGO) check --release --locked --package kinetic --no-default-features --lib --test minimal
	$(CARGO) check --release --locked --package kinetic --features gpu --lib

layers: ## crates use lower layers only, files form no circles, names of types and constants are their own
	$(call title,layers)
	@$(PYTHON) tools/check_layers.py

licences: ## licences of all dependencies
	$(call title,licences)
	@$(BIN)/python tools/check_licences.py

lint-py: ## lints and formatting of Python
	$(call title,ruff)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: ## types of Python
	$(call title,mypy)
	$(BIN)/mypy --strict python/kinetic examples/python

stubs: setup ## write python/kinetic/_kinetic.pyi anew
	$(BIN)/python tools/check_stubs.py --write

stubs-check: ## the stubs say what the extension offers
	$(call title,stubs)
	$(BIN)/python tools/check_stubs.py

test-py: ## tests of Python and of the tools
	$(call title,pytest)
	$(BIN)/python -m pytest -q

robots: $(BIN)/maturin ## make robot_configs/ and its table anew from tools/robots
	$(BIN)/python tools/robots/generate.py
	$(CARGO) run --release --locked --package kinetic --example sphere_models
	$(CARGO) run --release --locked --package kinetic --example pair_facts
	$(CARGO) run --release --locked --package kinetic --example precomputed
	@$(MAKE) --no-print-directory robots-table

robots-table: setup ## write docs-site/robots.md anew
	$(BIN)/python tools/robots_table.py --write

docs: setup ## build the documentation into site/
	$(BIN)/mkdocs build --strict --quiet

docs-check: ## build the documentation and run every code block
	$(call title,documentation)
	$(BIN)/python tools/robots_table.py
	$(BIN)/mkdocs build --strict --quiet --site-dir target/site
	$(BIN)/python tools/check_docs.py

wheel-check: ## the wheel works alone, from any directory
	$(call title,wheel)
	$(BIN)/python tools/check_wheel.py

clean: ## remove everything that was built
	rm -rf target $(VENV) site $(DEMO_OUT)
