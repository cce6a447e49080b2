#!/usr/bin/env bash
# Runs the tool once and looks for structured content. MCPBASH_BIN names another mcp-bash.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export MCPBASH_PROJECT_ROOT=${MCPBASH_PROJECT_ROOT:-$(cd "$here/../.." && pwd)}

if ! output=$("${MCPBASH_BIN:-mcp-bash}" run-tool @NAME@ --allow-self --args '{"name":"World"}'); then
  printf '@NAME@ failed:\n%s\n' "$output" >&2
  exit 1
fi
if ! printf '%s' "$output" | grep -q '"structuredContent" *: *{'; then
  printf '@NAME@ printed no JSON object:\n%s\n' "$output" >&2
  exit 2
fi
printf '@NAME@ works\n'
