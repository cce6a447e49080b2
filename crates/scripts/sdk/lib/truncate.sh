# shellcheck shell=bash
# Long lists, cut so that they fit.

# mcp_json_truncate JSON [MAX_BYTES] [--array-path .a.b]: {"result":…,"truncated":…,"kept":…,"total":…}.
# Without a path it is the array itself or `.results` that is cut.
mcp_json_truncate() {
  local json=${1-} max=102400 path=''
  [ $# -eq 0 ] || shift
  while [ $# -gt 0 ]; do
    case $1 in
    --array-path)
      path=${2-}
      [ $# -eq 1 ] || shift
      ;;
    *[!0-9]* | '') ;;
    *) max=$1 ;;
    esac
    shift
  done
  local form='^(\.[A-Za-z_][A-Za-z0-9_]*)+$'
  if [ -n "$path" ] && ! [[ $path =~ $form ]]; then
    printf '{"error":{"type":"invalid_path_syntax","message":%s}}' "$(mcp_json_escape "$path is not of the form .key or .key.nested")"
    return 0
  fi
  printf '%s' "$json" | __mcp_jq -c --argjson max "$max" --arg path "$path" '
    def problem($type; $message): {error: {type: $type, message: $message}};
    def size: tojson | utf8bytelength;
    . as $all
    | (if $path != "" then $path[1:] | split(".")
       elif type == "array" then []
       elif type == "object" and (.results | type) == "array" then ["results"]
       else null end) as $at
    | if $at == null then
        if size <= $max then {result: ., truncated: false, kept: 1, total: 1}
        else problem("output_too_large"; "there is no array to cut; name one with --array-path") end
      elif ($at | length) > 0 and (try ($all | getpath($at)) catch null) == null then problem("path_not_found"; "there is nothing at \($path)")
      elif ($all | getpath($at) | type) != "array" then problem("invalid_array_path"; "\($path) is not an array")
      elif size <= $max then ($all | getpath($at) | length) as $n | {result: ., truncated: false, kept: $n, total: $n}
      else
        ($all | getpath($at)) as $items
        | ($all | setpath($at; []) | size) as $frame
        | if $frame > $max then problem("output_too_large"; "even without the array it is longer than \($max) bytes")
          else
            (reduce $items[] as $item ({left: ($max - $frame), kept: 0, full: false};
               if .full then . else ($item | size + 1) as $s
               | if $s > .left then .full = true else {left: (.left - $s), kept: (.kept + 1), full: false} end end) | .kept) as $kept
            | {result: ($all | setpath($at; $items[:$kept])), truncated: true, kept: $kept, total: ($items | length)}
          end
      end' 2>/dev/null || printf '{"error":{"type":"invalid_json","message":"the input is not JSON"}}'
}
