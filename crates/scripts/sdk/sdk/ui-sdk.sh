# shellcheck shell=bash
# Helpers for tools with a user interface (MCP Apps). Sourced after tool-sdk.sh.

# True if the client shows user interfaces.
mcp_client_supports_ui() {
  [ "${MCPBASH_CLIENT_SUPPORTS_UI:-0}" = 1 ] || mcp_client_supports_extension io.modelcontextprotocol/ui
}

# True if the client has an extension, by its name.
mcp_client_supports_extension() {
  case " ${MCP_CAPABILITIES:-} " in
  *" extensions.${1-} "* | *" ${1-} "*) return 0 ;;
  esac
  return 1
}

# mcp_ui_uri NAME: the address of a user interface of this server.
mcp_ui_uri() {
  printf 'ui://%s/%s' "${MCPBASH_SERVER_NAME:-mcp-server}" "${1-}"
}

# mcp_ui_result TEXT NAME-OR-URI: a result that a client with user interfaces shows with one.
mcp_ui_result() {
  local uri=${2-} text
  case $uri in *://*) ;; *) uri=$(mcp_ui_uri "$uri") ;; esac
  text=$(mcp_json_escape "${1-}")
  printf '{"content":[{"type":"text","text":%s}],"isError":false,"_meta":{"ui":{"resourceUri":%s}}}' "$text" "$(mcp_json_escape "$uri")"
}
