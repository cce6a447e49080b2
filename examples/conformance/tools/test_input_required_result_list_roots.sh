#!/bin/sh
#: description: Asks for the client's roots
. lib/ask.sh
ask '{"id":"client_roots","method":"roots"}'
echo "Roots: $answer"
