# The short way to the CMake presets. `make install` honours PREFIX and DESTDIR.
PREFIX ?= /usr/local
CTEST = ctest -j$$(getconf _NPROCESSORS_ONLN)

.NOTPARALLEL:
.PHONY: all deps test-deps demo test check-all fuzz faults wild bench experiments install dist wheel format clean

all:
	cmake --preset release
	cmake --build --preset release

deps:
	scripts/install-deps

test-deps:
	scripts/install-deps test

demo: deps all
	build/latentforce demo

test: test-deps
	cmake --preset test
	cmake --build --preset test
	scripts/python-env & environment=$$!; \
	cmake --preset sanitize && cmake --build --preset sanitize || exit; \
	wait $$environment || [ $$? -eq 77 ]
	@failed=0; for preset in test sanitize; do $(CTEST) --preset $$preset || failed=1; done; exit $$failed

# What make test does, then what takes longer: the long versions of its tests, ThreadSanitizer, fits that are those of the last change of
# results, and the tests of numbers with each kind of kernels of OpenBLAS; an hour or two.
check-all: test
	cmake --preset thread
	cmake --build --preset thread
	@failed=0; for preset in test-all sanitize-all thread; do $(CTEST) --preset $$preset || failed=1; done; \
	scripts/same-models || [ $$? -eq 77 ] || failed=1; \
	scripts/check-kernels || failed=1; exit $$failed

# Random inputs for an hour each: make fuzz SECONDS=600 TARGET=table
SECONDS ?= 3600
fuzz: test-deps
	fuzz/run $(SECONDS) $(TARGET)

# Every allocation of every command fails once, and 200 fits are killed; takes an hour or two.
faults: test-deps
	cmake --preset test
	cmake --build --preset test
	LATENTFORCE=$(CURDIR)/build/latentforce LF_KILLS=200 bash $(CURDIR)/tests/hostile/test_killed.sh
	LATENTFORCE=$(CURDIR)/build/latentforce FAILING_ALLOCATIONS=$(CURDIR)/build/tests/libfailing_allocations.so LF_FAULTS=--all \
		bash $(CURDIR)/tests/hostile/test_allocation_failures.sh

# Every command on 1000 random models and 500 random systems of equations, and 5000 log likelihoods in extended precision; takes an hour.
wild: test-deps all
	WILD_MODELS=$${WILD_MODELS:-1000} LATENTFORCE=$$PWD/build/latentforce bash tests/hostile/test_wild_models.sh

bench: all
	cmake --build --preset release --target bench

# Reproduces the tables of experiments/results.md from the data in ../shared/data, as build/experiments/results.md; takes hours.
experiments: test-deps all
	experiments/run all --data $${DATA:-../shared/data} --output build/experiments

install: all
	cmake --install build --prefix "$(PREFIX)"

# build/latentforce-VERSION.tar.gz, the same bytes wherever it is made.
dist:
	scripts/dist

# build/wheel/latentforce-VERSION-py3-none-manylinux_….whl, which brings all that it needs.
wheel: test-deps all
	scripts/wheel

format:
	scripts/check-format --fix

clean:
	rm -rf build build-base build-fuzz build-sanitize build-thread
