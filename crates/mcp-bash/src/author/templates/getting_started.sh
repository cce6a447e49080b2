#!/usr/bin/env bash
cat <<'TEXT'
This server was started without a project, so that it has no tools of yours.

1. Make one:                  mcp-bash new my-server
2. Add a tool:                cd my-server && mcp-bash scaffold tool my-tool
3. Say where the project is:  set MCPBASH_PROJECT_ROOT to its folder in the client's configuration
                              (mcp-bash config --client cursor prints it)

What a project looks like: https://github.com/yaniv-golan/mcp-bash-framework/blob/main/README.md#quick-start
and https://github.com/yaniv-golan/mcp-bash-framework/blob/main/docs/PROJECT-STRUCTURE.md
TEXT
