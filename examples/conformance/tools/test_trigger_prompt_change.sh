#!/bin/sh
#: description: Announces that the list of prompts has changed
echo '{"method":"changed","params":{"what":"prompts"}}' >&3
echo "announced"
