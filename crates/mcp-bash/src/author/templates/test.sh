#!/usr/bin/env bash
# Runs the tools of this project. Usage: test/run.sh [--verbose] [--force]
# MCPBASH_BIN names another mcp-bash; --force goes on although the project has errors.
set -euo pipefail

MCPBASH_PROJECT_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export MCPBASH_PROJECT_ROOT
mcp_bash=${MCPBASH_BIN:-mcp-bash}
verbose=${VERBOSE:-0} force=${FORCE:-0}
for word in "$@"; do
  case $word in
  --verbose | -v) verbose=1 ;;
  --force | -f) force=1 ;;
  *)
    printf 'unknown option: %s\n' "$word" >&2
    exit 2
    ;;
  esac
done
passed=0 failed=0 skipped=0

# report NAME STATUS OUTPUT
report() {
  if [ "$2" -eq 0 ]; then
    passed=$((passed + 1))
    printf '  ok    %s\n' "$1"
    [ "$verbose" != 1 ] || printf '%s\n' "$3"
  else
    failed=$((failed + 1))
    printf '  FAIL  %s\n%s\n' "$1" "$3" >&2
  fi
}

# run_test TOOL [ARGUMENTS [DESCRIPTION [FLAG …]]]: the tool must succeed.
run_test() {
  local tool=$1 arguments=${2:-} what=${3:-} output status=0
  shift $(($# < 3 ? $# : 3))
  output=$("$mcp_bash" run-tool "$tool" --allow-self --args "${arguments:-"{}"}" "$@" 2>&1) || status=$?
  report "$tool${what:+: $what}" "$status" "$output"
}

# run_dry_run TOOL [ARGUMENTS]: only looks whether it could run.
run_dry_run() {
  run_test "$1" "${2:-}" 'dry run' --dry-run
}

# skip_test TOOL REASON
skip_test() {
  skipped=$((skipped + 1))
  printf '  skip  %s: %s\n' "$1" "${2:-}"
}

if ! problems=$("$mcp_bash" validate 2>&1); then
  printf '%s\n' "$problems" >&2
  [ "$force" = 1 ] || exit 1
fi

# Tests of this project:
#   run_test hello '{"name":"World"}' 'greets'
#   run_dry_run hello
#   [ -n "${API_KEY:-}" ] || skip_test weather 'API_KEY is not set'

printf '%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" -eq 0 ]
