#!/usr/bin/env python3
#: description: Has the client's model answer
#: arguments:
#:   prompt: {type: string, required: true}

import json
import sys

sys.path.insert(0, "lib")
from ask import ask, sample

prompt = json.load(sys.stdin)["prompt"]
answer = ask(sampling=sample(prompt, 100))["sampling"]
print("LLM response:", answer["content"].get("text", "nothing"))
