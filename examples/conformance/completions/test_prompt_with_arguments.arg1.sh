#!/bin/sh
# One value per line; what was typed so far is in the environment.
for value in paris park party test-one test-two; do
	case $value in
	"$MCP_COMPLETION_VALUE"*) echo "$value" ;;
	esac
done
