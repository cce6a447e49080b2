#!/usr/bin/env python3
#: description: Asks with a form that has defaults

import json
import sys

sys.path.insert(0, "lib")
from ask import ask, form

schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
    "required": [],
}
answer = ask(defaults=form("With defaults", schema))["defaults"]
content = json.dumps(answer.get("content"))
print(f"Elicitation completed: action={answer['action']}, content={content}")
