#!/bin/sh
#: uriTemplate: test://template/{id}/data
#: name: template
#: description: A fixture
#: mimeType: application/json
printf '{"id":"%s","templateTest":true,"data":"Data for ID: %s"}' "$MCP_ARG_id" "$MCP_ARG_id"
