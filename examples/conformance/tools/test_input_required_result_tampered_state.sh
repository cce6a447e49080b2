#!/bin/sh
#: description: The same, for a client that tampers with the state
. lib/ask.sh
ask '{"id":"confirm","method":"elicit","params":{"message":"Please confirm, and change nothing else","schema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}'
case $answer in
*'"ok":true'*) echo "state-ok true" ;;
*) echo "state-ok false" ;;
esac
