#!/bin/sh
#: description: Announces that the list of tools has changed
echo '{"method":"changed","params":{"what":"tools"}}' >&3
echo "announced"
