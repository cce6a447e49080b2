#!/usr/bin/env python3
#: description: Says hello over HTTP.
#: arguments:
#:   name: {type: string, default: World}
import os

print(f"Hello, {os.environ.get('MCP_ARG_name', 'World')}!")
