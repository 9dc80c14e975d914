# What a developer runs. `just check` is all of it, in the order that fails fastest.

set shell := ["bash", "-euo", "pipefail", "-c"]

run := "uv run --all-extras --quiet"

# Everything that has to be green before a change lands.
check: format lint types layers test

format:
    {{run}} ruff format --check .

lint:
    {{run}} ruff check .

types:
    {{run}} basedpyright

layers:
    {{run}} lint-imports

test *ARGS:
    {{run}} pytest {{ARGS}}

# Mend what can be mended by itself.
fix:
    {{run}} ruff format .
    {{run}} ruff check --fix .
