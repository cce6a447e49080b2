#!/bin/sh
#: description: Asks for a name
. lib/ask.sh
# In the era of stateless requests the id is the key that the client answers under.
ask '{"id":"user_name","method":"elicit","params":{"message":"What is your name?","schema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}}'
echo "Hello, $(member name)!"
