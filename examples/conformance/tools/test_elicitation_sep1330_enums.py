#!/usr/bin/env python3
#: description: Asks with a form that has every kind of choice

import json
import sys

sys.path.insert(0, "lib")
from ask import ask, form

PLAIN = ["option1", "option2", "option3"]


def titled(word):
    names = zip(("value1", "value2", "value3"), ("First", "Second", "Third"))
    return [{"const": value, "title": f"{name} {word}"} for value, name in names]


schema = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": PLAIN},
        "titledSingle": {"type": "string", "oneOf": titled("Option")},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled("Choice")}},
    },
    "required": [],
}
answer = ask(enums=form("Please choose", schema))["enums"]
content = json.dumps(answer.get("content"))
print(f"Elicitation completed: action={answer['action']}, content={content}")
