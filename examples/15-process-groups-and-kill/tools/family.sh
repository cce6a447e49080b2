#!/usr/bin/env bash
#: description: Starts children and grandchildren, ignores TERM, and never ends by itself.
#: graceSecs: 1
. "${MCP_SDK:?}/tool-sdk.sh"
trap '' TERM
(
  trap '' TERM
  sleep 300 &
  echo "$!" >>"$MCP_PROJECT_ROOT/family.pids"
  wait
) &
echo "$! $$" >>"$MCP_PROJECT_ROOT/family.pids"
sleep 0.2
mcp_progress 1 "the family is complete" 1
while :; do sleep 1; done
