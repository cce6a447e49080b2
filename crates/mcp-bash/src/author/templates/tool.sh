#!/usr/bin/env bash
# The arguments are JSON, read with jq filters. What mcp_emit_json gets is the structured content of the
# result; mcp_error, mcp_fail_invalid_args, mcp_progress and mcp_log_info are there as well.
set -euo pipefail
source "${MCP_SDK:?is set by the server; try: mcp-bash run-tool @NAME@ --allow-self}/tool-sdk.sh"

name=$(mcp_args_get '.name // "World"')
mcp_emit_json "$(mcp_json_obj message "Hello, ${name}!")"
