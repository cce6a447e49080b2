#!/usr/bin/env bash
# Serves the project of this bundle.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export MCPBASH_PROJECT_ROOT=$here
own=$here/.mcp-bash/bin/mcp-bash
[ ! -x "$own" ] || exec "$own" "$@"
if command -v mcp-bash >/dev/null; then exec mcp-bash "$@"; fi
if command -v linkspan >/dev/null; then exec linkspan mcp-bash "$@"; fi
printf 'this bundle has no server in it, and neither mcp-bash nor linkspan is in PATH\n' >&2
exit 1
