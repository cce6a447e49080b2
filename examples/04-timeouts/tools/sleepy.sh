#!/bin/sh
#: description: Takes longer than it may.
#: timeoutSecs: 1
#: timeoutHint: Ask for less at a time.
sleep 60
