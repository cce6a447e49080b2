#!/usr/bin/env python3
#: description: Asks for whatever the client has declared

import json
import os
import sys

sys.path.insert(0, "lib")
from ask import ask, roots, sample, text

able = os.environ["MCP_CAPABILITIES"].split()
questions = {}
if "elicitation" in able:
    questions["elicited"] = text("What is your name?", "name")
if "sampling" in able:
    questions["sampled"] = sample("Say something", 50)
if "roots" in able:
    questions["listed"] = roots()
print("Answers:", json.dumps(ask(**questions)))
