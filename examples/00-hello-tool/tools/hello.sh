#!/usr/bin/env bash
#: description: Says hello to somebody.
#: arguments:
#:   name: {type: string, description: Who is greeted, default: World}
set -euo pipefail
. "${MCP_SDK:?run me through linkspan}/tool-sdk.sh"

name=$(mcp_args_get '.name' --default World)
mcp_emit_text "Hello, $name!"
