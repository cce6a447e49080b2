#!/usr/bin/env python3
#: description: An image and a text

import base64
import json

with open("files/red.png", "rb") as file:
    image = base64.b64encode(file.read()).decode()
contents = [
    {"type": "image", "data": image, "mimeType": "image/png"},
    {"type": "text", "text": "Please analyze the image above."},
]
print(json.dumps({"messages": [{"role": "user", "content": content} for content in contents]}))
