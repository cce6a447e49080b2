#!/usr/bin/env python3
#: description: Has the user fill in a form
#: arguments:
#:   message: {type: string, required: true}

import json
import sys

sys.path.insert(0, "lib")
from ask import ask, form

schema = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
message = json.load(sys.stdin)["message"]
print("User response:", json.dumps(ask(user=form(message, schema))["user"]))
