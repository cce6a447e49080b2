# shellcheck shell=bash
# Files as contents of resources: {"uri":…,"mimeType":…,"text"|"blob":…}.

# mcp_resource_detect_mime FILE [FALLBACK]
mcp_resource_detect_mime() {
  local found=''
  case $1 in
  *.json) found=application/json ;;
  *.md | *.markdown) found=text/markdown ;;
  *.html | *.htm) found=text/html ;;
  *.csv) found=text/csv ;;
  *.txt | *.log) found=text/plain ;;
  *.yaml | *.yml) found=application/yaml ;;
  *.png) found=image/png ;;
  *.jpg | *.jpeg) found=image/jpeg ;;
  *.gif) found=image/gif ;;
  *.svg) found=image/svg+xml ;;
  *.pdf) found=application/pdf ;;
  *)
    if command -v file >/dev/null 2>&1; then
      found=$(file --brief --mime-type -- "$1" 2>/dev/null) || found=
    fi
    ;;
  esac
  printf '%s' "${found:-${2:-text/plain}}"
}

# True for types whose contents are not text.
mcp_resource_is_binary_mime() {
  case $1 in
  *charset=binary*) return 0 ;;
  text/* | *json* | *xml* | *yaml* | *csv* | *javascript* | *markdown* | *html* | *css* | *x-sh*) return 1 ;;
  esac
  return 0
}

# mcp_resource_should_base64 FILE MIME: by the type, or because there is a NUL near the start.
mcp_resource_should_base64() {
  mcp_resource_is_binary_mime "$2" && return 0
  local size=0 without=0
  size=$(head -c 1024 -- "$1" 2>/dev/null | wc -c)
  without=$(head -c 1024 -- "$1" 2>/dev/null | LC_ALL=C tr -d '\000' | wc -c)
  [ "$((size))" -ne "$((without))" ]
}

# mcp_resource_content_object_from_file FILE [MIME [URI]]
mcp_resource_content_object_from_file() {
  local path=$1 mime=${2:-} out='{' jq=${MCPBASH_JSON_TOOL_BIN:-jq}
  [ -r "$path" ] || return 1
  [ -n "$mime" ] || mime=$(mcp_resource_detect_mime "$path")
  if [ -n "${3-}" ]; then out="{\"uri\":$(mcp_json_escape "$3"),"; fi
  out="$out\"mimeType\":$(mcp_json_escape "$mime"),"
  if mcp_resource_should_base64 "$path" "$mime"; then
    printf '%s"blob":"%s"}' "$out" "$(base64 <"$path" | tr -d '\r\n')"
  else
    printf '%s"text":%s}' "$out" "$("$jq" -Rs . <"$path")"
  fi
}
