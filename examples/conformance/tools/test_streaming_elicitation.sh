#!/bin/sh
#: description: Reports progress, then asks
. lib/ask.sh
say '{"method":"progress","params":{"progress":1,"total":2}}'
ask '{"id":"stream_input","method":"elicit","params":{"message":"What comes next?","schema":{"type":"object","properties":{"next":{"type":"string"}},"required":["next"]}}}'
say '{"method":"progress","params":{"progress":2,"total":2}}'
echo "Then came $(member next)"
