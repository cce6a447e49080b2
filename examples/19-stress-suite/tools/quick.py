#!/usr/bin/env python3
#: description: Says what it was told, too. One process for all calls.
#: mode: worker
#: workers: {count: 2, concurrency: 8}
#: arguments:
#:   text: {type: string, required: true}
import os
import sys

sys.path.insert(0, os.environ["MCP_SDK"])
import mcptool

mcptool.serve({"quick": lambda args: args["text"]})
