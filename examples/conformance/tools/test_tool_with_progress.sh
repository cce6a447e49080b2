#!/bin/sh
#: description: Reports its progress three times
progress() {
	printf '{"method":"progress","params":{"progress":%s,"total":100}}\n' "$1" >&3
}
progress 0
sleep 0.05
progress 50
sleep 0.05
progress 100
echo "Reported progress three times."
