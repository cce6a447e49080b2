#!/usr/bin/env bash
# Serves the project that this file is in.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
@PROFILE@
for mcp_bash in "$(command -v mcp-bash || :)" "${HOME:-}/.local/bin/mcp-bash" "${MCPBASH_HOME:-}/bin/mcp-bash"; do
  [ ! -x "$mcp_bash" ] || break
  mcp_bash=
done
linkspan=$(command -v linkspan || :)
if [ -z "$mcp_bash$linkspan" ]; then
  printf 'mcp-bash: framework not found: neither mcp-bash nor linkspan is in PATH\n' >&2
  exit 1
fi
export "MCPBASH_PROJECT_ROOT=$here" "MCPBASH_TOOL_ALLOWLIST=${MCPBASH_TOOL_ALLOWLIST:-*}"
[ -z "$mcp_bash" ] || exec "$mcp_bash" "$@"
exec "$linkspan" mcp-bash "$@"
