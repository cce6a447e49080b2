#!/usr/bin/env bash
#: description: Writes one log message of each level that it is asked for.
#: arguments:
#:   levels: {type: array, items: {type: string}, required: true, description: "For example [debug, warning]"}
set -euo pipefail
. "${MCP_SDK:?}/tool-sdk.sh"

for level in $(mcp_args_get '.levels[]'); do
  mcp_log "$level" example "$(mcp_json_obj said "this is $level")"
done
mcp_emit_text "done"
