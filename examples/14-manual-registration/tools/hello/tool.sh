#!/usr/bin/env bash
set -euo pipefail
source "${MCP_SDK:?MCP_SDK environment variable not set}/tool-sdk.sh"

name="$(mcp_args_get '.name // "World"')"
mcp_emit_json "$(mcp_json_obj message "Hello, ${name}!")"
