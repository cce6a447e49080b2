#!/bin/sh
# mcp: {"description": "Shows that a tool needs no SDK: arguments are variables, and JSON on stdin.", "arguments": {"word": {"type": "string", "required": true}}}
printf 'word=%s stdin=' "$MCP_ARG_word"
cat
