#!/bin/sh
#: description: Was there from the start.
echo first
