#!/usr/bin/env python3
#: description: Asks for three things at once

import json
import sys

sys.path.insert(0, "lib")
from ask import ask, roots, sample, text

answers = ask(
    user_name=text("What is your name?", "name"),
    greeting=sample("Generate a greeting", 50),
    client_roots=roots(),
)
name = answers["user_name"].get("content", {}).get("name")
greeting = answers["greeting"]["content"].get("text")
print(greeting, name, json.dumps(answers["client_roots"]["roots"]))
