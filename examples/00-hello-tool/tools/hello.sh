#!/usr/bin/env bash
#: description: Greets a person by name.
#: arguments:
#:   name: {type: string, description: Who is greeted, default: World}
set -euo pipefail
. "${MCP_SDK:?run me through linkspan}/tool-sdk.sh"

name=$(mcp_args_get '.name' --default World)
mcp_emit_text "Hello, $name!"
