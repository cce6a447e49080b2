# shellcheck shell=bash
# Helpers for tools with a user interface (MCP Apps). tool-sdk.sh reads this file when one of them is
# first called; it can also be sourced.

# The jq to use; what it prints is one line.
__mcp_ui_jq() {
  LINKSPAN_JQ_RESTRICTED=1 "${MCPBASH_JSON_TOOL_BIN:-jq}" "$@"
}

# True if the client shows user interfaces: the server says so in a variable, mcp-bash in a file.
mcp_client_supports_ui() {
  local said=
  [ "${MCPBASH_CLIENT_SUPPORTS_UI:-0}" != 1 ] || return 0
  if [ -n "${MCPBASH_STATE_DIR:-}" ] && [ -f "$MCPBASH_STATE_DIR/extensions.ui.support" ]; then
    IFS= read -r said <"$MCPBASH_STATE_DIR/extensions.ui.support" || :
    [ "$said" != 1 ] || return 0
  fi
  case " ${MCP_CAPABILITIES:-} " in
  *' extensions.io.modelcontextprotocol/ui '* | *' io.modelcontextprotocol/ui '*) return 0 ;;
  esac
  return 1
}

# True if the client has an extension, by its name.
mcp_client_supports_extension() {
  case ${1-} in
  io.modelcontextprotocol/ui) mcp_client_supports_ui && return 0 ;;
  esac
  case " ${MCP_CAPABILITIES:-} " in
  *" extensions.${1-} "* | *" ${1-} "*) return 0 ;;
  esac
  return 1
}

# mcp_ui_uri NAME: the address of a user interface of this server.
mcp_ui_uri() {
  printf 'ui://%s/%s' "${MCPBASH_SERVER_NAME:-mcp-server}" "${1-}"
}

# mcp_ui_result TEXT NAME-OR-URI: a result that names its user interface.
mcp_ui_result() {
  local uri=${2-}
  case $uri in *://*) ;; *) uri=$(mcp_ui_uri "$uri") ;; esac
  # shellcheck disable=SC2016 # the variables are those of jq
  __mcp_ui_jq -nc --arg text "${1-}" --arg uri "$uri" '{content:[{type:"text",text:$text}],isError:false,_meta:{ui:{resourceUri:$uri}}}'
}

# mcp_result_with_ui URI TEXT [DATA [META]]: TEXT for the model, DATA (JSON) for the user interface and
# the model, META (JSON) for the user interface only. The tool's metadata names the interface, so that URI
# is not used. A client without user interfaces gets the text alone.
mcp_result_with_ui() {
  local data=${3:-null} meta=${4:-null}
  if ! mcp_client_supports_ui; then
    data=null meta=null
  fi
  # shellcheck disable=SC2016 # the variables are those of jq
  __mcp_ui_jq -nc --arg text "${2-}" --argjson data "$data" --argjson meta "$meta" '{content:[{type:"text",text:$text}]} + (if $data != null then {structuredContent:$data} else {} end) + {isError:false} + (if $meta != null then {_meta:$meta} else {} end)'
}

# mcp_result_with_ui_data URI TEXT DATA [META]: the same; DATA must be given.
mcp_result_with_ui_data() {
  mcp_result_with_ui "$@"
}

# mcp_tool_meta_with_ui URI [VISIBILITY]: the _meta of a tool with a user interface. VISIBILITY is model,
# app or both, separated by a comma.
mcp_tool_meta_with_ui() {
  # shellcheck disable=SC2016 # the variables are those of jq
  __mcp_ui_jq -nc --arg uri "${1-}" --arg for "${2:-model,app}" '{ui:{resourceUri:$uri,visibility:($for | split(",") | map(gsub("^\\s+|\\s+$"; "")))}}'
}

# Prints a page: TITLE, and JSON on stdin for the filter BODY, which makes HTML of it.
__mcp_ui_page() {
  # shellcheck disable=SC2016 # the variables are those of jq
  __mcp_ui_jq -rs --arg title "$1" '.[0] as $given | "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>\($title | @html)</title>\n<style>body{font:14px sans-serif;margin:1em}label{display:block;margin:.5em 0}th,td{text-align:left;padding:.3em .6em;border-bottom:1px solid #ccc}</style>\n</head>\n<body>\n<h1>\($title | @html)</h1>\n\($given | '"$2"')\n</body>\n</html>"'
}

# mcp_ui_form --title TITLE --field NAME[:TYPE[:OPTION,OPTION…]] … [--submit-tool TOOL]: a page with a
# form. Types are text, email, number, date, textarea, select and checkbox. What is entered goes to TOOL,
# through the host (the `tools/call` message of MCP Apps).
mcp_ui_form() {
  local title='' tool='' fields='' sep='' field
  while [ $# -gt 0 ]; do
    case $1 in
    --title) title=${2-} ;;
    --submit-tool) tool=${2-} ;;
    --field)
      # shellcheck disable=SC2016 # the variables are those of jq
      field=$(__mcp_ui_jq -nc --arg field "${2-}" '($field | split(":")) as $part | {name:$part[0],type:($part[1] // "text"),label:($part[0] | gsub("[-_]"; " ") | split(" ") | map(.[:1] as $first | ($first | ascii_upcase) + .[1:]) | join(" ")),options:(($part[2:] | join(":")) as $all | if $all == "" then null else $all | split(",") end)}')
      fields=$fields$sep$field
      sep=,
      ;;
    *)
      shift
      continue
      ;;
    esac
    shift
    [ $# -eq 0 ] || shift
  done
  # shellcheck disable=SC2016 # the variables are those of jq
  __mcp_ui_jq -nc --arg tool "$tool" --argjson fields "[$fields]" '{tool:$tool,fields:$fields}' |
    __mcp_ui_page "$title" '"<form data-tool=\"\(.tool | @html)\">\n" + (.fields | map(
      (.name | @html) as $name
      | if .type == "textarea" then "<label>\(.label | @html) <textarea name=\"\($name)\"></textarea></label>"
        elif .type == "select" then "<label>\(.label | @html) <select name=\"\($name)\">\((.options // []) | map("<option>\(@html)</option>") | join(""))</select></label>"
        else "<label>\(.label | @html) <input name=\"\($name)\" type=\"\(.type | @html)\"></label>" end) | join("\n")) + "\n<button>Submit</button>\n</form>\n<script>\ndocument.querySelector(\"form\").addEventListener(\"submit\", (event) => {\n  event.preventDefault();\n  const params = { name: event.target.dataset.tool, arguments: Object.fromEntries(new FormData(event.target)) };\n  window.parent.postMessage({ jsonrpc: \"2.0\", id: Date.now(), method: \"tools/call\", params }, \"*\");\n});\n</script>"'
}

# mcp_ui_table --columns A,B,… [--title TITLE] <JSON: a page with a table of an array of objects.
mcp_ui_table() {
  local title=Data columns=''
  while [ $# -gt 0 ]; do
    case $1 in
    --title) title=${2-} ;;
    --columns) columns=${2-} ;;
    *)
      shift
      continue
      ;;
    esac
    shift
    [ $# -eq 0 ] || shift
  done
  # shellcheck disable=SC2016 # the variables are those of jq
  __mcp_ui_jq -cs --arg columns "$columns" '{columns:($columns | split(",")),rows:((.[0] // []) | if type == "array" then . else [.] end)}' |
    __mcp_ui_page "$title" '.columns as $columns | "<table>\n<thead><tr>\($columns | map("<th>\(@html)</th>") | join(""))</tr></thead>\n<tbody>\n\(.rows | map(. as $row | "<tr>\($columns | map("<td>\($row[.] | if . == null then "" elif type == "string" then . else tojson end | @html)</td>") | join(""))</tr>") | join("\n"))\n</tbody>\n</table>"'
}
