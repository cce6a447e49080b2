#!/usr/bin/env bash
#: description: Takes longer than its timeout, but shows that it is alive.
#: timeoutSecs: 1
#: progressExtendsTimeout: true
#: maxTimeoutSecs: 20
set -euo pipefail
. "${MCP_SDK:?}/tool-sdk.sh"

for i in 1 2 3 4 5 6; do
  sleep 0.3
  mcp_progress "$i" "still at it" 6
done
mcp_emit_text "made it"
