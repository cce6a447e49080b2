#!/usr/bin/env python3
#: description: A resource and a text
#: arguments:
#:   - name: resourceUri
#:     description: Where the resource is
#:     required: true

import json
import sys

resource = {
    "uri": json.load(sys.stdin)["resourceUri"],
    "mimeType": "text/plain",
    "text": "Embedded resource content for testing.",
}
contents = [
    {"type": "resource", "resource": resource},
    {"type": "text", "text": "Please process the embedded resource above."},
]
print(json.dumps({"messages": [{"role": "user", "content": content} for content in contents]}))
