#!/bin/sh
#: description: Takes so long that its answer is streamed
sleep 0.3
echo "Still there."
