#!/usr/bin/env python3
#: description: Prints more than a client wants to read.
#: maxOutputBytes: 4096
#: arguments:
#:   lines: {type: integer, default: 1000}
import os

for number in range(int(os.environ.get("MCP_ARG_lines", "1000"))):
    print(f"line {number}")
