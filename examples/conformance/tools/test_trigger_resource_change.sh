#!/bin/sh
#: description: Announces that the list of resources has changed
echo '{"method":"changed","params":{"what":"resources"}}' >&3
echo "announced"
