#!/usr/bin/env bash
set -euo pipefail
source "${MCP_SDK:?is set by the server; try: mcp-bash run-tool hello --allow-self}/tool-sdk.sh"

name=$(mcp_args_get '.name // "World"')
mcp_emit_json "$(mcp_json_obj message "Hello, ${name}!")"
