#!/bin/sh
# mcp: {"description": "Answers with a text"}
echo "This is a simple text response for testing."
