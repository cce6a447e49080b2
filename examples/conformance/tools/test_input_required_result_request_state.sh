#!/bin/sh
#: description: Asks for a confirmation and keeps its state with the client
. lib/ask.sh
ask '{"id":"confirm","method":"elicit","params":{"message":"Please confirm","schema":{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}}}'
case $answer in
*'"ok":true'*) echo "state-ok true" ;;
*) echo "state-ok false" ;;
esac
