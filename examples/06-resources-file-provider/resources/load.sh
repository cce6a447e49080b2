#!/usr/bin/env bash
#: uri: example://load
#: title: Load
#: description: Made when it is read.
#: mimeType: text/plain
echo "generated for $MCP_RESOURCE_URI"
