#!/usr/bin/env python3
#: description: Answers with a text, an image and a resource

import base64
import json

with open("files/red.png", "rb") as file:
    image = base64.b64encode(file.read()).decode()
resource = {
    "uri": "test://mixed-content-resource",
    "mimeType": "application/json",
    "text": '{"test":"data","value":123}',
}
content = [
    {"type": "text", "text": "Multiple content types test:"},
    {"type": "image", "data": image, "mimeType": "image/png"},
    {"type": "resource", "resource": resource},
]
print(json.dumps({"content": content}))
