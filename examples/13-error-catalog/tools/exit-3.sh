#!/bin/sh
#: description: Ends with exit code 3.
echo "half of the work"
echo "the disk is full" >&2
exit 3
