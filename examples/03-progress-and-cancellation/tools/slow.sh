#!/usr/bin/env bash
#: description: Counts slowly, says how far it is, and stops when it is not wanted any more.
#: arguments:
#:   steps: {type: integer, minimum: 1, maximum: 1000, default: 5}
set -euo pipefail
. "${MCP_SDK:?}/tool-sdk.sh"

steps=$(mcp_args_int '.steps' --default 5)
for ((i = 1; i <= steps; i++)); do
  if mcp_is_cancelled; then
    mcp_fail -32001 "stopped after $i steps"
  fi
  sleep 0.1
  mcp_progress "$i" "step $i" "$steps"
done
mcp_emit_text "counted to $steps"
