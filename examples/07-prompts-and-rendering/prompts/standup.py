#!/usr/bin/env python3
#: title: Stand-up
#: description: A prompt that is made by a program.
#: arguments:
#:   - {name: team, required: true}
import json
import os

team = os.environ["MCP_ARG_team"]
text = f"Ask everyone in {team} what they did, what they will do, and what is in their way."
print(json.dumps({"messages": [
    {"role": "user", "content": {"type": "text", "text": text}},
    {"role": "assistant", "content": {"type": "text", "text": "Good morning! Who starts?"}},
]}))
