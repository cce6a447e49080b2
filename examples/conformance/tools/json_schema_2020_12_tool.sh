#!/bin/sh
# Its arguments come on stdin; its schema is in the file beside it.
printf 'Got '
cat
