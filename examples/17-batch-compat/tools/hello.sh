#!/bin/sh
#: description: Says hello.
echo hello
