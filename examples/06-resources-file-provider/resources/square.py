#!/usr/bin/env python3
#: uriTemplate: "square://{number}"
#: title: Squares
#: description: A resource for every number.
#: mimeType: application/json
import json
import os

number = int(os.environ["MCP_ARG_number"])
print(json.dumps({"number": number, "square": number * number}))
