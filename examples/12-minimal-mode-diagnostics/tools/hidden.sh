#!/bin/sh
#: description: Is there, but not offered in minimal mode.
echo here
