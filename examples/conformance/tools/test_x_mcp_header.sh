#!/bin/sh
echo "$MCP_ARG_region ${MCP_ARG_count-} ${MCP_ARG_query-}"
