"""Questions to the client on the control channel, fd 3: lines of JSON, both ways."""

import json
import socket
import sys

CONTROL = socket.socket(fileno=3)
# Two files: one for both ways would forget what it had read ahead when it is written to.
HEARD = CONTROL.makefile("r", encoding="utf-8")
SAID = CONTROL.makefile("w", encoding="utf-8")


def text(message, field):
    """A form with one text field."""
    schema = {"type": "object", "properties": {field: {"type": "string"}}, "required": [field]}
    return form(message, schema)


def form(message, schema):
    return {"method": "elicit", "params": {"message": message, "schema": schema}}


def sample(prompt, tokens):
    said = {"role": "user", "content": {"type": "text", "text": prompt}}
    return {"method": "sample", "params": {"messages": [said], "maxTokens": tokens}}


def roots():
    return {"method": "roots"}


def ask(**questions):
    """Asks everything at once; gives the answers by the names of the questions."""
    for name, question in questions.items():
        print(json.dumps({"id": name, **question}), file=SAID, flush=True)
    answers = {}
    while len(answers) < len(questions):
        line = json.loads(HEARD.readline() or '{"method":"cancel"}')
        if line.get("method") == "cancel":
            sys.exit("no client waits for an answer any more")
        if "error" in line:
            sys.exit(f"{line['id']} failed: {line['error']['message']}")
        answers[line["id"]] = line["result"]
    return answers
