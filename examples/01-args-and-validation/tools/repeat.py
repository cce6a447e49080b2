#!/usr/bin/env python3
import os
import sys

sys.path.insert(0, os.environ["MCP_SDK"])
import mcptool


def repeat(args):
    # The schema was checked before this runs: `times` is there, and between 1 and 5.
    return " ".join([args["text"]] * args["times"])


mcptool.run(repeat)
