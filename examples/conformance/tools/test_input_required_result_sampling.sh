#!/bin/sh
#: description: Asks the client's model
. lib/ask.sh
# The full names of MCP are as good as the short ones.
ask '{"id":"capital_question","method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"What is the capital of France?"}}],"maxTokens":100}}'
member text
