#!/usr/bin/env python3
#: description: Sends the user to a page

import os
import sys

sys.path.insert(0, "lib")
from ask import ask

if "elicitation.url" not in os.environ["MCP_CAPABILITIES"].split():
    sys.exit("the client cannot show a page")
page = {"message": "Please sign in", "url": "https://example.com/sign-in"}
print("Visited:", ask(visit={"method": "elicit", "params": page})["visit"]["action"])
