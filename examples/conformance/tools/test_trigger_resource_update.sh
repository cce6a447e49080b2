#!/bin/sh
#: description: Announces that a resource was updated
#: arguments:
#:   uri:
#:     type: string
#:     description: The resource, or test://watched-resource
#:     pattern: '^[!#-\[\]-~]*$'
# The pattern lets nothing through that would need an escape below.
printf '{"method":"updated","params":{"uri":"%s"}}\n' "${MCP_ARG_uri:-test://watched-resource}" >&3
echo "announced"
