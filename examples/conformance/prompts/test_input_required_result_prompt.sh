#!/bin/sh
#: description: A text that the user has a say in
. lib/ask.sh
ask '{"id":"user_context","method":"elicit","params":{"message":"What context should the prompt use?","schema":{"type":"object","properties":{"context":{"type":"string"}},"required":["context"]}}}'
echo "Context: $(member context)"
