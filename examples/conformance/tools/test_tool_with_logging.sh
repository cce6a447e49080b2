#!/bin/sh
#: description: Logs three times
log() {
	printf '{"method":"log","params":{"level":"info","logger":"fixture","data":"%s"}}\n' "$1" >&3
}
log "Tool execution started"
sleep 0.05
log "Tool processing data"
sleep 0.05
log "Tool execution completed"
echo "Logged three times."
