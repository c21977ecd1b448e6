# Every command sets up what it needs, and is quick when that is already done.
.DEFAULT_GOAL := help
.PHONY: help run backends backends-stop stack stack-env stack-stop test check format lock token key reembed redrive openapi integrity pictures

BIN := .venv/bin
SAM := SAM_CLI_TELEMETRY=0 AWS_DEFAULT_REGION=us-east-1 .sam/bin/sam

help:  ## List the commands.
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

run:  ## Serve everything on http://127.0.0.1:3000, with no key and no network.
	@infra/local/setup run
	@exec $(BIN)/python -m infra.local.serve

backends:  ## Start AWS's, OpenAI's and Pinecone's stand-ins and print what to export.
	@infra/local/setup run
	@infra/local/setup emulator
	@$(BIN)/python -m infra.local.backends start

backends-stop:  ## Stop them; what they hold stays.
	@infra/local/setup run
	@$(BIN)/python -m infra.local.backends stop

stack:  ## Deploy the template onto such stand-ins; the last line says where it serves.
	@infra/local/setup run
	@infra/local/setup emulator
	@infra/local/setup sam
	@$(BIN)/python -m infra.local.stack start

stack-env:  ## Print what to export for token, key, redrive, reembed to work on it, or on STACK= in AWS.
	@infra/local/setup run
	@$(BIN)/python -m infra.local.stack env "$(STACK)"

stack-stop:  ## Stop it; what it holds stays.
	@infra/local/setup run
	@$(BIN)/python -m infra.local.stack stop

test:  ## Run all tests.
	@infra/local/setup dev
	@infra/local/setup emulator
	@infra/local/setup sam
	@infra/local/setup browser
	$(BIN)/python -m pytest -n 3 --dist worksteal

check:  ## Lint, format, types, which room may import which, and the template.
	@infra/local/setup dev
	@infra/local/setup sam
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(SAM) validate
	$(SAM) validate --lint

format:  ## Rewrite the code in the house's format.
	@infra/local/setup dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:  ## Resolve requirements*.in again into the pinned requirements*.txt.
	@infra/local/setup dev
	@$(BIN)/pip install --quiet uv
	@for name in shared/requirements requirements requirements-dev infra/local/requirements-emulator infra/local/requirements-sam; do \
	  $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	    --no-emit-index-url --no-header --no-annotate $$name.in -o $$name.txt; done

token:  ## Print a JWT for the local secret: SUB= ORG= TIER= ROLES=a,b TEAMS=x
	@infra/local/setup run
	@$(BIN)/python -m infra.local.credentials token "$(SUB)" "$(ORG)" "$(TIER)" "$(ROLES)" "$(TEAMS)"

key:  ## Make and print an API key: ORG= ROLES=a,b TIER=
	@infra/local/setup run
	@$(BIN)/python -m infra.local.credentials key "$(ORG)" "$(TIER)" "$(ROLES)"

reembed:  ## Embed all documents again, after the embedding model has changed.
	@infra/local/setup run
	@$(BIN)/python -m infra.local.reembed

redrive:  ## Send uploads back that could not be ingested, once the cause is mended.
	@infra/local/setup run
	@$(BIN)/python -m infra.local.redrive

openapi:  ## Write down anew what the API promises.
	@infra/local/setup run
	@$(BIN)/python -m infra.local.openapi > tests/wire/openapi.json

integrity:  ## Write down anew what the widget's script hashes to.
	@infra/local/setup run
	@$(BIN)/python -m infra.local.integrity

pictures:  ## Take the README's pictures anew.
	@infra/local/setup dev
	@infra/local/setup browser
	@$(BIN)/python -m infra.local.pictures
