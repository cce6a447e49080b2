#!/bin/bash
#: description: Asks for one thing after the other
. lib/ask.sh
question() {
	local schema="{\"type\":\"object\",\"properties\":{\"$3\":{\"type\":\"string\"}},\"required\":[\"$3\"]}"
	ask "{\"id\":\"$1\",\"method\":\"elicit\",\"params\":{\"message\":\"$2\",\"schema\":$schema}}"
	member "$3"
}
name=$(question step1 "Step 1: What is your name?" name) || exit
color=$(question step2 "Step 2: What is your favorite color?" color) || exit
echo "$name likes $color"
