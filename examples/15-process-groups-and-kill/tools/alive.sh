#!/usr/bin/env bash
#: description: Says how many of the family are still there.
#: timeoutSecs: 20
. "${MCP_SDK:?}/tool-sdk.sh"
family=$(cat "$MCP_PROJECT_ROOT/family.pids" 2>/dev/null) || family=
# They are killed after their grace, so they are waited for.
for _ in $(seq 100); do
  alive=0
  for pid in $family; do
    if kill -0 "$pid" 2>/dev/null; then alive=$((alive + 1)); fi
  done
  [ "$alive" -gt 0 ] || break
  sleep 0.1
done
# shellcheck disable=SC2086 # one word per process
set -- $family
mcp_emit_text "$alive of $# alive"
