#!/bin/sh
#: description: Says what it was told. One process per call.
#: arguments:
#:   text: {type: string, required: true}
echo "$MCP_ARG_text"
