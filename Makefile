.DEFAULT_GOAL := help
.PHONY: help run test setup check coverage soak bench docs site pictures lock release clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile

run: ## serve the gateway with a browser (sets everything up first)
	@scripts/setup --browser
	@exec .venv/bin/tabwright serve --launch

test: ## run every check and test (sets everything up first)
	@scripts/setup --test --browser
	@scripts/check

setup: ## prepare .venv for running and testing
	@scripts/setup --test

check: ## run every check and test, without set-up
	@scripts/check

coverage: ## run the tests and list the lines and branches they miss
	@.venv/bin/pytest --numprocesses auto --dist loadfile --cov --cov-report=term-missing

soak: ## a million calls through the proxy's core, then between replicas while everything fails; fifty tabs shuffled
	@.venv/bin/python -m tests.proxy.chaos 1000000
	@.venv/bin/python -m tests.cluster.chaos 200000
	@.venv/bin/python -m tests.cluster.soak 10
	@.venv/bin/python -m tests.hub.churn 60

bench: ## measure time, tokens and memory beside other servers; writes docs/benchmarks.md
	@scripts/setup --bench --browser
	@.venv/bin/python -m bench

docs: ## write the pages of docs/ that follow from the code
	@.venv/bin/python scripts/docs.py

site: ## build the pages of docs/ as a site, in site/ (sets everything up first)
	@scripts/setup --test
	@NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build --quiet --strict
	@echo "Open site/index.html"

pictures: ## make the pictures of README.md and docs/ anew, in a real browser
	@PYTHONPATH=. .venv/bin/python scripts/pictures.py

lock: ## resolve the dependencies of pyproject.toml anew
	@scripts/lock

release: ## build everything that is published into dist/ (sets everything up first)
	@scripts/setup --test
	@.venv/bin/python scripts/release.py

clean: ## remove everything that set-up and tests leave behind
	@rm -rf .venv .venv-apps node_modules tests/conformance/node_modules tests/page_tools/node_modules packaging/node_modules bench/peers/node_modules .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage .coverage.* htmlcov dist build site
	@find src tests -name __pycache__ -prune -exec rm -rf {} +
