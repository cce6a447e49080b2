#!/bin/sh
#: description: Prints bytes that are no text.
printf 'caf\351\n'
