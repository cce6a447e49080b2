#!/usr/bin/env bash
#: description: Says what is wrong and what to do about it.
. "${MCP_SDK:?}/tool-sdk.sh"
mcp_error not_found "there is no user 7" --hint "list-users knows who there is" --data '{"id":7}'
