#!/bin/sh
#: description: Never stops printing.
#: maxOutputBytes: 100000
exec yes flood
