#!/bin/sh
#: description: Is killed by a signal.
kill -9 $$
