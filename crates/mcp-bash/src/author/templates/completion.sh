#!/usr/bin/env bash
# Prints the values that begin with what was typed, as a JSON array. It is .query of
# MCP_COMPLETION_ARGS_JSON; MCP_COMPLETION_LIMIT and MCP_COMPLETION_OFFSET say how many, and from where.
set -euo pipefail
json=${MCP_COMPLETION_ARGS_JSON:-}
printf '%s' "${json:-"{}"}" | "${MCPBASH_JSON_TOOL_BIN:-jq}" -c '
  (.query // "") as $typed
  | ["first", "second", "third"]
  | map(select(startswith($typed)))'
