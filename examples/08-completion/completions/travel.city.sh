#!/usr/bin/env bash
# One value per line. What the client knows already is in MCP_COMPLETION_ARGS_JSON.
case ${MCP_COMPLETION_ARGS_JSON:-} in
*Finland*) cities='Helsinki Espoo Tampere' ;;
*) cities='Paris Porto Patras Berlin' ;;
esac
for city in $cities; do
  case $city in "${MCP_COMPLETION_VALUE:-}"*) echo "$city" ;; esac
done
