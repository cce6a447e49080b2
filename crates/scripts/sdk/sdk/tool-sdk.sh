# shellcheck shell=bash
# Helpers for tools written in Bash (3.2 and later). Source it:
#
#   . "${MCP_SDK:?}/tool-sdk.sh"
#
# Sourcing defines functions and starts nothing. What can be done with builtins is; the rest uses
# the jq that the server puts into MCPBASH_JSON_TOOL_BIN. The server is spoken to over the file
# descriptor in MCP_CTRL_FD or, where there is none, through the files that mcp-bash names.

# --- JSON -------------------------------------------------------------------------------------

# Sets __mcp_json to the JSON string for $1. A variable, because $( ) would cost a process.
__mcp_quote() {
  local s=${1-} c code
  s=${s//\\/\\\\}
  s=${s//\"/\\\"}
  case $s in
  *[[:cntrl:]]*)
    s=${s//$'\n'/\\n}
    s=${s//$'\r'/\\r}
    s=${s//$'\t'/\\t}
    case $s in
    *[[:cntrl:]]*)
      for code in 01 02 03 04 05 06 07 08 0b 0c 0e 0f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f; do
        # shellcheck disable=SC2059 # the format is what is wanted
        printf -v c "\\x$code"
        s=${s//"$c"/\\u00$code}
      done
      ;;
    esac
    ;;
  esac
  __mcp_json="\"$s\""
}

# Sets __mcp_json to $1 if that looks like JSON, on one line; else to a JSON string of it.
__mcp_value() {
  case ${1-} in
  '{'*'}' | '['*']' | '"'*'"' | true | false | null)
    __mcp_json=$1
    case $__mcp_json in *[$'\n\r']*)
      __mcp_json=${__mcp_json//$'\n'/ }
      __mcp_json=${__mcp_json//$'\r'/ }
      ;;
    esac
    ;;
  '' | *[!0-9.eE+-]* | *[!0-9] | [!0-9-]*) __mcp_quote "${1-}" ;;
  *) __mcp_json=$1 ;;
  esac
}

# The jq to use. Filters that come from a tool's author see their input only.
__mcp_jq() {
  LINKSPAN_JQ_RESTRICTED=1 "${MCPBASH_JSON_TOOL_BIN:-jq}" "$@"
}

__mcp_warn() {
  printf '%s\n' "$1" >&2
}

# Runs a function with `set -x` off: its expansions contain what the client sent, secrets included.
__mcp_untraced() {
  case $- in
  *x*) ;;
  *)
    "$@"
    return
    ;;
  esac
  set +x
  local status=0
  "$@" || status=$?
  set -x
  return "$status"
}

mcp_json_escape() {
  __mcp_quote "${1-}"
  printf '%s' "$__mcp_json"
}

# mcp_json_obj key value …: an object of strings.
mcp_json_obj() {
  if [ $(($# % 2)) -ne 0 ]; then
    __mcp_warn "mcp_json_obj: keys and values come in pairs, but there are $# arguments"
    exit 1
  fi
  local out='{' sep=''
  while [ $# -gt 0 ]; do
    __mcp_quote "$1"
    out=$out$sep$__mcp_json:
    __mcp_quote "$2"
    out=$out$__mcp_json
    sep=,
    shift 2
  done
  printf '%s' "$out}"
}

# mcp_json_arr value …: an array of strings.
mcp_json_arr() {
  local out='[' sep='' each
  for each in "$@"; do
    __mcp_quote "$each"
    out=$out$sep$__mcp_json
    sep=,
  done
  printf '%s' "$out]"
}

# True if $1 is exactly one JSON value.
mcp_is_valid_json() {
  [ -n "${1-}" ] || return 1
  printf '%s' "$1" | __mcp_jq -es 'length == 1' >/dev/null 2>&1
}

# The length of $1 in bytes.
mcp_byte_length() {
  local LC_ALL=C s=${1-}
  printf '%s' "${#s}"
}

# --- Arguments and metadata -------------------------------------------------------------------

mcp_args_raw() { __mcp_untraced __mcp_do_args_raw "$@"; }
__mcp_do_args_raw() {
  __mcp_payload "${MCP_TOOL_ARGS_JSON:-}" "${MCP_TOOL_ARGS_FILE:-}"
}

mcp_meta_raw() { __mcp_untraced __mcp_do_meta_raw "$@"; }
__mcp_do_meta_raw() {
  __mcp_payload "${MCP_TOOL_META_JSON:-}" "${MCP_TOOL_META_FILE:-}"
}

__mcp_payload() {
  if [ -n "$2" ] && [ -f "$2" ]; then
    cat -- "$2"
  elif [ -n "$1" ]; then
    printf '%s' "$1"
  else
    printf '{}'
  fi
}

# Sets __mcp_got to what jq would print for a filter like `.name` or `.name // 5`, from the
# variables that the server made of the arguments. Fails if that takes a real jq.
__mcp_simple_arg() {
  local filter=$1 name rest json=${MCP_TOOL_ARGS_JSON:-}
  local pattern='^\.([A-Za-z_][A-Za-z0-9_]*)( // (.*))?$'
  [[ -z ${MCP_TOOL_ARGS_FILE:-} && -n ${MCP_CTRL_FD:-} && $filter =~ $pattern ]] || return 1
  name=${BASH_REMATCH[1]} rest=${BASH_REMATCH[3]:-}
  case $json in
  *'\u'*) return 1 ;;
  *"\"$name\""*)
    local variable=MCP_ARG_$name
    [ -n "${!variable+set}" ] || return 1
    __mcp_got=${!variable}
    if [ -n "${BASH_REMATCH[2]:-}" ]; then
      # "false" may be the word or the value; `//` tells them apart.
      case $__mcp_got in false | null) return 1 ;; esac
    fi
    return 0
    ;;
  esac
  case $rest in
  '' | null) __mcp_got=null ;;
  empty) __mcp_got= ;;
  true | false) __mcp_got=$rest ;;
  '"'*'"')
    __mcp_got=${rest#\"}
    __mcp_got=${__mcp_got%\"}
    case $__mcp_got in *\"* | *\\*) return 1 ;; esac
    ;;
  *[!0-9]*) return 1 ;;
  *) __mcp_got=$rest ;;
  esac
}

# mcp_args_get FILTER [--default VALUE]: a value out of the arguments, strings without quotes.
mcp_args_get() { __mcp_untraced __mcp_do_args_get "$@"; }
__mcp_do_args_get() {
  local filter=$1 default='' has_default='' status=0
  shift
  while [ $# -gt 0 ]; do
    case $1 in
    --default)
      default=${2-} has_default=1
      shift
      ;;
    esac
    shift
  done
  local __mcp_got=
  if ! __mcp_simple_arg "$filter"; then
    if [ -n "${MCP_TOOL_ARGS_FILE:-}" ] && [ -f "$MCP_TOOL_ARGS_FILE" ]; then
      __mcp_got=$(__mcp_jq -rc "$filter" <"$MCP_TOOL_ARGS_FILE" 2>/dev/null) || status=$?
    else
      __mcp_got=$(printf '%s' "${MCP_TOOL_ARGS_JSON:-"{}"}" | __mcp_jq -rc "$filter" 2>/dev/null) || status=$?
    fi
  fi
  if [ -n "$has_default" ]; then
    case $status:$__mcp_got in
    0: | 0:null | [!0]*)
      printf '%s' "$default"
      return 0
      ;;
    esac
  fi
  [ -z "$__mcp_got" ] || printf '%s\n' "$__mcp_got"
  return "$status"
}

# mcp_meta_get FILTER: a value out of the request's _meta.
mcp_meta_get() { __mcp_untraced __mcp_do_meta_get "$@"; }
__mcp_do_meta_get() {
  mcp_meta_raw | __mcp_jq -rc "$1" 2>/dev/null
}

# mcp_args_require FILTER [MESSAGE]: a value that must be there.
mcp_args_require() { __mcp_untraced __mcp_do_args_require "$@"; }
__mcp_do_args_require() {
  local got
  got=$(mcp_args_get "$1" 2>/dev/null) || got=
  case $got in
  '' | null) mcp_fail_invalid_args "${2:-$1 is required}" ;;
  esac
  printf '%s' "$got"
}

# mcp_args_bool FILTER [--default true|false]: prints true or false.
mcp_args_bool() { __mcp_untraced __mcp_do_args_bool "$@"; }
__mcp_do_args_bool() {
  local filter=$1 default='' got
  shift
  [ "${1-}" != --default ] || default=${2:-false}
  got=$(mcp_args_get "$filter" 2>/dev/null) || got=
  case $got in
  '' | null)
    [ -n "$default" ] || mcp_fail_invalid_args "$filter is required"
    got=$default
    ;;
  esac
  case $got in
  true | 1) printf true ;;
  *) printf false ;;
  esac
}

# mcp_args_int FILTER [--default N] [--min N] [--max N]: an integer within bounds.
mcp_args_int() { __mcp_untraced __mcp_do_args_int "$@"; }
__mcp_do_args_int() {
  local filter=$1 default='' min='' max='' got
  shift
  while [ $# -gt 1 ]; do
    case $1 in
    --default) default=$2 ;;
    --min) min=$2 ;;
    --max) max=$2 ;;
    esac
    shift 2
  done
  if [ -n "$min" ] && [ -n "$max" ] && [ "$min" -gt "$max" ]; then
    mcp_fail_invalid_args "mcp_args_int: --min cannot exceed --max"
  fi
  got=$(mcp_args_get "$filter" 2>/dev/null) || got=
  case $got in
  '' | null)
    [ -n "$default" ] || mcp_fail_invalid_args "$filter is required"
    got=$default
    ;;
  esac
  case ${got#-} in
  '' | *[!0-9]*) mcp_fail_invalid_args "$filter must be an integer" ;;
  esac
  if [ -n "$min" ] && [ "$got" -lt "$min" ]; then
    mcp_fail_invalid_args "$filter must be >= $min"
  fi
  if [ -n "$max" ] && [ "$got" -gt "$max" ]; then
    mcp_fail_invalid_args "$filter must be <= $max"
  fi
  printf '%s' "$got"
}

# --- Telling the client -----------------------------------------------------------------------

# Sends one line to the server, or appends it to a file where there is no channel.
__mcp_send() {
  if [ -n "${MCP_CTRL_FD:-}" ]; then
    # shellcheck disable=SC2261 # the descriptor is a number; its complaints are not for the user
    printf '%s\n' "$1" 2>/dev/null >&"$MCP_CTRL_FD" || :
  elif [ -n "${2-}" ]; then
    printf '%s\n' "$1" >>"$2" 2>/dev/null || :
  fi
}

# mcp_progress PROGRESS MESSAGE [TOTAL]: without a total, PROGRESS is a percentage.
mcp_progress() {
  local progress=${1-} total='' message=''
  case $progress in '' | *[!0-9.]* | .* | *. | *.*.*) progress=0 ;; esac
  case ${3-} in '' | *[!0-9.]* | .* | *. | *.*.*) ;; *) total=",\"total\":$3" ;; esac
  if [ -z "$total" ] && [ "${progress%%.*}" -gt 100 ]; then progress=100; fi
  if [ -n "${2-}" ]; then
    __mcp_quote "$2"
    message=",\"message\":$__mcp_json"
  fi
  if [ -n "${MCP_CTRL_FD:-}" ]; then
    __mcp_send "{\"method\":\"progress\",\"params\":{\"progress\":$progress$total$message}}"
  elif [ -n "${MCP_PROGRESS_TOKEN:-}" ] && [ -n "${MCP_PROGRESS_STREAM:-}" ]; then
    local token=$MCP_PROGRESS_TOKEN
    case $token in '' | *[!0-9]*)
      __mcp_quote "$token"
      token=$__mcp_json
      ;;
    esac
    __mcp_send "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":$token,\"progress\":$progress$total$message}}" "$MCP_PROGRESS_STREAM"
  fi
}

# mcp_log LEVEL LOGGER JSON: levels are those of RFC 5424. Text that is no JSON is sent as a string.
mcp_log() {
  local level=${1-} logger data
  case $level in
  debug | info | notice | warning | error | critical | alert | emergency) ;;
  *)
    level=$(printf '%s' "$level" | tr '[:upper:]' '[:lower:]')
    case $level in
    debug | info | notice | warning | error | critical | alert | emergency) ;;
    warn) level=warning ;;
    *)
      __mcp_warn "mcp_log: '${1-}' is no level, taking info"
      level=info
      ;;
    esac
    ;;
  esac
  __mcp_quote "${2-}"
  logger=$__mcp_json
  __mcp_value "${3-}"
  data=$__mcp_json
  if [ -n "${MCP_CTRL_FD:-}" ]; then
    __mcp_send "{\"method\":\"log\",\"params\":{\"level\":\"$level\",\"logger\":$logger,\"data\":$data}}"
  else
    __mcp_send "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"$level\",\"logger\":$logger,\"data\":$data}}" "${MCP_LOG_STREAM:-}"
  fi
}

__mcp_log_text() {
  __mcp_quote "${3-}"
  mcp_log "$1" "${2-}" "$__mcp_json"
}

mcp_log_debug() { __mcp_log_text debug "$@"; }
mcp_log_info() { __mcp_log_text info "$@"; }
mcp_log_warn() { __mcp_log_text warning "$@"; }
mcp_log_error() { __mcp_log_text error "$@"; }

# mcp_debug TEXT…: into the file MCPBASH_DEBUG_LOG, if there is one.
mcp_debug() {
  [ -n "${MCPBASH_DEBUG_LOG:-}" ] || return 0
  printf '[%s] %s\n' "$(date +%H:%M:%S 2>/dev/null)" "$*" >>"$MCPBASH_DEBUG_LOG" 2>/dev/null || :
}

# mcp_updated URI: a resource has changed. mcp_changed tools|prompts|resources: a list has.
mcp_updated() {
  __mcp_quote "${1-}"
  __mcp_send "{\"method\":\"updated\",\"params\":{\"uri\":$__mcp_json}}"
}

mcp_changed() {
  __mcp_quote "${1-}"
  __mcp_send "{\"method\":\"changed\",\"params\":{\"what\":$__mcp_json}}"
}

# True once the client does not want the answer any more.
mcp_is_cancelled() {
  [ -n "${MCP_CANCEL_FILE:-}" ] && [ -e "$MCP_CANCEL_FILE" ]
}

# --- Asking the client ------------------------------------------------------------------------

MCP_ELICIT_DEFAULT_TIMEOUT=${MCPBASH_ELICITATION_TIMEOUT:-30}

# Asks over the channel: METHOD PARAMS TIMEOUT. Sets __mcp_answer to the result. Fails with 1 for an
# error, whose text is then in __mcp_answer, 2 for no answer in time, 3 for cancelled.
__mcp_ask() {
  local id="b$$-$RANDOM$RANDOM" line='' begun='' prefix waited=0 limit=$3 step=1 status
  # Bash 3.2 does not tell "too late" from "closed", and it waits once.
  [ "${BASH_VERSINFO[0]}" -ge 4 ] || step=$limit
  __mcp_answer=
  __mcp_send "{\"id\":\"$id\",\"method\":\"$1\",\"params\":$2}"
  prefix="{\"id\":\"$id\",\"result\":"
  while :; do
    status=0
    IFS= read -r -t "$step" -u "$MCP_CTRL_FD" line || status=$?
    begun=$begun$line
    if [ "$status" -gt 128 ] || { [ "$status" -ne 0 ] && [ "$step" -eq "$limit" ]; }; then
      mcp_is_cancelled && return 3
      waited=$((waited + step))
      [ "$waited" -lt "$limit" ] || return 2
      continue
    fi
    if [ "$status" -ne 0 ]; then
      __mcp_answer="the server closed the channel"
      return 1
    fi
    line=$begun begun=
    case $line in
    "$prefix"*'}')
      __mcp_answer=${line#"$prefix"}
      __mcp_answer=${__mcp_answer%\}}
      return 0
      ;;
    *"\"$id\""*) break ;;
    *'"method":"cancel"'*) return 3 ;;
    esac
  done
  if __mcp_answer=$(printf '%s' "$line" | __mcp_jq -ce '.result' 2>/dev/null); then
    return 0
  fi
  __mcp_answer=$(printf '%s' "$line" | __mcp_jq -r '.error.message // "no answer"' 2>/dev/null)
  return 1
}

# The same through the files of mcp-bash, for elicitation only.
__mcp_ask_files() {
  local waited=0 limit=$(($2 * 10))
  __mcp_answer=
  rm -f -- "$MCP_ELICIT_RESPONSE_FILE"
  printf '%s' "$1" >"$MCP_ELICIT_REQUEST_FILE.tmp.$$"
  mv -f -- "$MCP_ELICIT_REQUEST_FILE.tmp.$$" "$MCP_ELICIT_REQUEST_FILE"
  while [ ! -f "$MCP_ELICIT_RESPONSE_FILE" ]; do
    if mcp_is_cancelled; then
      rm -f -- "$MCP_ELICIT_REQUEST_FILE"
      return 3
    fi
    if [ "$waited" -ge "$limit" ]; then
      rm -f -- "$MCP_ELICIT_REQUEST_FILE"
      return 2
    fi
    sleep 0.1
    waited=$((waited + 1))
  done
  __mcp_answer=$(cat -- "$MCP_ELICIT_RESPONSE_FILE")
  rm -f -- "$MCP_ELICIT_RESPONSE_FILE"
}

# Prints {"action":…,"content":…}: NAME, the rest of the params, TIMEOUT.
__mcp_elicit() { __mcp_untraced __mcp_do_elicit "$@"; }
__mcp_do_elicit() {
  local status=0
  if [ "${MCP_ELICIT_SUPPORTED:-0}" != 1 ]; then
    __mcp_warn "$1: the client does not ask its user questions"
    printf '{"action":"decline","content":null}'
    return 1
  fi
  if [ -n "${MCP_CTRL_FD:-}" ]; then
    __mcp_ask elicit "$2" "$3" || status=$?
  elif [ -n "${MCP_ELICIT_REQUEST_FILE:-}" ] && [ -n "${MCP_ELICIT_RESPONSE_FILE:-}" ]; then
    __mcp_ask_files "$2" "$3" || status=$?
  else
    status=1 __mcp_answer="there is no way to the client"
  fi
  case $status in
  0)
    printf '%s' "$__mcp_answer"
    return 0
    ;;
  1) __mcp_warn "$1: $__mcp_answer" ;;
  2) __mcp_warn "$1: no answer within $3 s" ;;
  3)
    printf '{"action":"cancel","content":null}'
    return 1
    ;;
  esac
  printf '{"action":"error","content":null}'
  return 1
}

# mcp_elicit MESSAGE SCHEMA [TIMEOUT [MODE]]: a form. Prints {"action":"accept","content":{…}} or
# another action; only `accept` comes with content.
mcp_elicit() {
  __mcp_quote "${1-}"
  local params="{\"message\":$__mcp_json"
  __mcp_value "${2:-"{}"}"
  params="$params,\"schema\":$__mcp_json"
  [ -n "${MCP_CTRL_FD:-}" ] || params="$params,\"mode\":\"${4:-form}\""
  __mcp_elicit mcp_elicit "$params}" "${3:-$MCP_ELICIT_DEFAULT_TIMEOUT}"
}

# mcp_elicit_url MESSAGE URL [TIMEOUT]: sends the user to a page, for what must not pass through us.
mcp_elicit_url() {
  __mcp_quote "${1-}"
  local params="{\"message\":$__mcp_json"
  __mcp_quote "${2-}"
  params="$params,\"url\":$__mcp_json"
  [ -n "${MCP_CTRL_FD:-}" ] || params="$params,\"mode\":\"url\""
  __mcp_elicit mcp_elicit_url "$params}" "${3:-$MCP_ELICIT_DEFAULT_TIMEOUT}"
}

# A form of one field: MESSAGE FIELD SCHEMA-OF-THE-FIELD.
__mcp_elicit_field() {
  __mcp_quote "$2"
  mcp_elicit "$1" "{\"type\":\"object\",\"properties\":{$__mcp_json:$3},\"required\":[$__mcp_json]}"
}

# Sets __mcp_json to [{"const":…,"title":…},…] for arguments like "value:Title".
__mcp_titled() {
  local out='' sep='' each item
  for each in "$@"; do
    __mcp_quote "${each%%:*}"
    item="{\"const\":$__mcp_json"
    __mcp_quote "${each#*:}"
    out="$out$sep$item,\"title\":$__mcp_json}"
    sep=,
  done
  __mcp_json="[$out]"
}

mcp_elicit_string() {
  __mcp_elicit_field "$1" "${2:-value}" '{"type":"string"}'
}

mcp_elicit_confirm() {
  __mcp_elicit_field "$1" confirmed '{"type":"boolean"}'
}

mcp_elicit_choice() {
  local message=$1
  shift
  __mcp_elicit_field "$message" choice "{\"type\":\"string\",\"enum\":$(mcp_json_arr "$@")}"
}

mcp_elicit_titled_choice() {
  local message=$1 __mcp_json
  shift
  __mcp_titled "$@"
  __mcp_elicit_field "$message" choice "{\"type\":\"string\",\"oneOf\":$__mcp_json}"
}

mcp_elicit_multi_choice() {
  local message=$1
  shift
  __mcp_elicit_field "$message" choices "{\"type\":\"array\",\"items\":{\"type\":\"string\",\"enum\":$(mcp_json_arr "$@")}}"
}

mcp_elicit_titled_multi_choice() {
  local message=$1 __mcp_json
  shift
  __mcp_titled "$@"
  __mcp_elicit_field "$message" choices "{\"type\":\"array\",\"items\":{\"anyOf\":$__mcp_json}}"
}

# mcp_sample PARAMS [TIMEOUT]: asks the client's model; PARAMS as of sampling/createMessage.
mcp_sample() { __mcp_untraced __mcp_do_sample "$@"; }
__mcp_do_sample() {
  if [ -z "${MCP_CTRL_FD:-}" ]; then
    __mcp_warn "mcp_sample: there is no way to the client"
    return 1
  fi
  __mcp_value "${1-}"
  if ! __mcp_ask sample "$__mcp_json" "${2:-120}"; then
    __mcp_warn "mcp_sample: ${__mcp_answer:-no answer}"
    return 1
  fi
  printf '%s' "$__mcp_answer"
}

# mcp_sample_text PROMPT [MAX_TOKENS]: the text of the model's answer.
mcp_sample_text() { __mcp_untraced __mcp_do_sample_text "$@"; }
__mcp_do_sample_text() {
  __mcp_quote "${1-}"
  local answer
  answer=$(mcp_sample "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":$__mcp_json}}],\"maxTokens\":${2:-1000}}") || return 1
  printf '%s' "$answer" | __mcp_jq -r '[.content] | flatten | map(.text // empty) | join("\n")'
}

# --- Results ----------------------------------------------------------------------------------

# mcp_emit_text TEXT: text as the result, even if it looks like JSON.
mcp_emit_text() {
  case ${MCP_CTRL_FD:+native}${1-} in
  native[[:space:]]* | 'native{'* | 'native['*)
    __mcp_quote "$1"
    printf '{"content":[{"type":"text","text":%s}]}' "$__mcp_json"
    ;;
  *) printf '%s' "${1-}" ;;
  esac
}

# mcp_emit_json JSON: structured content; the server adds the text and checks the outputSchema.
mcp_emit_json() {
  printf '%s' "${1-}"
}

# mcp_emit_image FILE [MIME]: a picture as the result.
mcp_emit_image() {
  local mime=${2:-}
  if [ -z "$mime" ]; then
    case $1 in
    *.png) mime=image/png ;;
    *.jpg | *.jpeg) mime=image/jpeg ;;
    *.gif) mime=image/gif ;;
    *.webp) mime=image/webp ;;
    *) mime=$(mcp_resource_detect_mime "$1" image/png) ;;
    esac
  fi
  printf '{"content":[{"type":"image","mimeType":"%s","data":"%s"}]}' "$mime" "$(base64 <"$1" | tr -d '\r\n')"
}

# mcp_emit_resource_link URI NAME [MIME [DESCRIPTION]]: where the result can be read.
mcp_emit_resource_link() {
  local out
  __mcp_quote "$1"
  out="{\"type\":\"resource_link\",\"uri\":$__mcp_json"
  __mcp_quote "${2:-$1}"
  out="$out,\"name\":$__mcp_json"
  if [ -n "${3-}" ]; then
    __mcp_quote "$3"
    out="$out,\"mimeType\":$__mcp_json"
  fi
  if [ -n "${4-}" ]; then
    __mcp_quote "$4"
    out="$out,\"description\":$__mcp_json"
  fi
  printf '{"content":[%s}]}' "$out"
}

# mcp_result_success JSON [MOST]: {"success":true,"result":JSON}, as structured content and as text.
# Text of more than MOST bytes (100 KiB) only says what there is. Anything but one JSON value is an error
# of the tool; plain text goes through mcp_result_text or mcp_emit_text.
mcp_result_success() {
  local most=${2:-${MCPBASH_MAX_TEXT_BYTES:-102400}} problem shape
  case $most in
  *[!0-9]*) most=102400 ;;
  esac
  # shellcheck disable=SC2016 # the variables are those of jq
  shape='{success:true,result:.} as $all | ($all | tojson) as $whole | {content:[{type:"text",text:(if ($whole | utf8bytelength) <= '"$most"' then $whole elif type == "array" then "Success: array with \(length) items" elif type == "object" then "Success: object with \(length) keys" else "Success: \(tostring | .[0:100])" end)}],structuredContent:$all,isError:false}'
  if [ -z "${1-}" ]; then
    problem='Empty data passed to mcp_result_success'
  elif printf '%s' "$1" | __mcp_jq -cs "if length == 1 then .[0] else error end | $shape" 2>/dev/null; then
    return 0
  elif printf '%s' "$1" | __mcp_jq -es 'length > 1' >/dev/null 2>&1; then
    problem='mcp_result_success takes one JSON value, but got multiple values'
  else
    problem='Invalid JSON passed to mcp_result_success'
  fi
  __mcp_quote "$problem"
  mcp_result_error "{\"type\":\"internal_error\",\"message\":$__mcp_json}"
}

# mcp_result_error JSON: {"success":false,"error":JSON}; the model sees it and can try again. An object
# without a type or a message gets them; what is no object is kept as `raw`.
mcp_result_error() {
  local error=${1-}
  [ -n "$error" ] || error='{"message":"Unknown error"}'
  # shellcheck disable=SC2016 # the variables are those of jq
  local shape='(if type == "object" then . + {type:(.type // "internal_error"),message:(.message // .error // "Unknown error")} else {type:"internal_error",message:"The error is no JSON object: \(tostring)",raw:tostring} end) as $error | {content:[{type:"text",text:($error.message | tostring)}],structuredContent:{success:false,error:$error},isError:true}'
  if ! printf '%s' "$error" | __mcp_jq -cs "if length == 1 then .[0] else error end | $shape" 2>/dev/null; then
    printf '%s' "$error" | __mcp_jq -cRs "$shape"
  fi
}

mcp_result_text() {
  __mcp_quote "${1-}"
  printf '{"content":[{"type":"text","text":%s}],"isError":false}' "$__mcp_json"
}

# mcp_error TYPE MESSAGE [--hint TEXT] [--data JSON]: an error that says what to do about it.
mcp_error() {
  local type=${1:-internal_error} message=${2:-Unknown error} hint='' data='' out
  [ $# -eq 0 ] || shift
  [ $# -eq 0 ] || shift
  while [ $# -gt 0 ]; do
    case $1 in
    --hint | --data)
      if [ "$1" = --hint ]; then hint=${2-}; else data=${2-}; fi
      [ $# -lt 2 ] || shift
      ;;
    esac
    shift
  done
  __mcp_quote "$type"
  out="{\"type\":$__mcp_json"
  __mcp_quote "$message"
  out="$out,\"message\":$__mcp_json"
  if [ -n "$hint" ]; then
    __mcp_quote "$hint"
    out="$out,\"hint\":$__mcp_json"
  fi
  if [ -n "$data" ]; then
    if ! mcp_is_valid_json "$data"; then
      __mcp_quote "$data"
      data="{\"_invalid_json\":$__mcp_json}"
    fi
    out="$out,\"data\":$data"
  fi
  mcp_log_debug mcp_error "type=$type: $message"
  [ -z "$hint" ] || mcp_log_warn mcp_error "type=$type hint: $message"
  mcp_result_error "$out}"
}

# mcp_result_text_with_resource TEXT-OR-JSON --path FILE [--mime TYPE] [--uri URI] …
mcp_result_text_with_resource() {
  local text=${1-} files='' path='' mime='' uri='' out
  [ $# -eq 0 ] || shift
  while [ $# -gt 0 ]; do
    case $1 in
    --path)
      [ -z "$path" ] || files=$files$path$'\t'$mime$'\t'$uri$'\n'
      path=${2-} mime='' uri=''
      ;;
    --mime) mime=${2-} ;;
    --uri) uri=${2-} ;;
    esac
    shift
    [ $# -eq 0 ] || shift
  done
  [ -z "$path" ] || files=$files$path$'\t'$mime$'\t'$uri$'\n'
  if [ -z "${MCP_CTRL_FD:-}" ]; then
    if [ -n "$files" ] && [ -n "${MCP_TOOL_RESOURCES_FILE:-}" ]; then
      printf '%s' "$files" >"$MCP_TOOL_RESOURCES_FILE"
    elif [ -n "$files" ]; then
      __mcp_warn "mcp_result_text_with_resource: no place for resources, leaving them out"
    fi
    if [ -n "$text" ] && ! mcp_is_valid_json "$text"; then
      __mcp_quote "$text"
      text=$__mcp_json
    fi
    mcp_result_success "$text"
    return
  fi
  __mcp_quote "$text"
  out="{\"type\":\"text\",\"text\":$__mcp_json}"
  while IFS=$'\t' read -r path mime uri; do
    [ -n "$path" ] || continue
    # Two tabs in a row are one to `read`, so a URI may have come as the type.
    case $mime in *://*) uri=$mime mime= ;; esac
    local content
    if content=$(mcp_resource_content_object_from_file "$path" "$mime" "${uri:-file://$path}"); then
      out="$out,{\"type\":\"resource\",\"resource\":$content}"
    else
      __mcp_warn "mcp_result_text_with_resource: cannot read $path"
    fi
  done <<<"$files"
  printf '{"content":[%s],"isError":false}' "$out"
}

# mcp_fail CODE MESSAGE [DATA]: the tool failed. Ends the tool.
mcp_fail() {
  local code=${1-} message=${2:-Tool failed} data=null
  case ${code#[-+]} in '' | *[!0-9]*) code=-32603 ;; esac
  if [ -n "${3-}" ]; then
    if mcp_is_valid_json "$3"; then
      __mcp_value "$3"
    else
      __mcp_quote "$3"
    fi
    data=$__mcp_json
  fi
  if [ -z "${MCP_CTRL_FD:-}" ]; then
    __mcp_quote "$message"
    local error="{\"code\":$code,\"message\":$__mcp_json,\"data\":$data}"
    if [ -n "${MCP_TOOL_ERROR_FILE:-}" ] && [ -w "$MCP_TOOL_ERROR_FILE" ]; then
      printf '%s\n' "$error" >"$MCP_TOOL_ERROR_FILE" 2>/dev/null || :
    fi
    printf '%s\n' "$error"
  fi
  __mcp_warn "$message"
  [ "$data" = null ] || __mcp_warn "$data"
  exit 1
}

mcp_fail_invalid_args() {
  mcp_fail -32602 "${1:-Invalid params}" "${2:-}"
}

# --- Roots and paths --------------------------------------------------------------------------

mcp_roots_list() {
  printf '%s' "${MCP_ROOTS_PATHS:-}"
}

mcp_roots_count() {
  printf '%s' "${MCP_ROOTS_COUNT:-0}"
}

# True if a path is one of the client's roots or below one, symlinks resolved.
mcp_roots_contains() {
  local path root
  path=$(mcp_path_normalize --physical "${1-}")
  while IFS= read -r root; do
    [ -n "$root" ] || continue
    root=$(mcp_path_normalize --physical "$root")
    # Literal comparison: a root may have [ or * in its name.
    if [ "$root" = / ] || [ "$path" = "$root" ] || [ "${path:0:$((${#root} + 1))}" = "$root/" ]; then
      return 0
    fi
  done <<<"${MCP_ROOTS_PATHS:-}"
  return 1
}

# mcp_require_path FILTER [--default-to-single-root] [--allow-empty]: an absolute path that lies
# within the client's roots, if it has any.
mcp_require_path() { __mcp_untraced __mcp_do_require_path "$@"; }
__mcp_do_require_path() {
  local filter=${1-} single='' empty='' got
  [ $# -eq 0 ] || shift
  while [ $# -gt 0 ]; do
    case $1 in
    --default-to-single-root) single=1 ;;
    --allow-empty) empty=1 ;;
    esac
    shift
  done
  [ -n "$filter" ] || mcp_fail_invalid_args "mcp_require_path: which argument?"
  got=$(mcp_args_get "$filter" 2>/dev/null) || got=
  [ "$got" != null ] || got=
  if [ -z "$got" ] && [ -n "$single" ]; then
    if [ "${MCP_ROOTS_COUNT:-0}" -ne 1 ]; then
      mcp_fail_invalid_args "$filter is required when zero or multiple roots are configured"
    fi
    got=${MCP_ROOTS_PATHS%%$'\n'*}
  fi
  if [ -z "$got" ]; then
    [ -z "$empty" ] || return 0
    mcp_fail_invalid_args "$filter is required"
  fi
  got=$(mcp_path_normalize --physical "$got")
  if [ "${MCP_ROOTS_COUNT:-0}" -gt 0 ] && ! mcp_roots_contains "$got"; then
    mcp_fail_invalid_args "$filter is outside configured MCP roots"
  fi
  printf '%s' "$got"
}

# --- Running other programs -------------------------------------------------------------------

# mcp_with_retry ATTEMPTS DELAY -- COMMAND…: again after exit codes above 2, waiting twice as long
# each time and a bit.
mcp_with_retry() {
  local attempts=$1 delay=$2 attempt=1 code pause
  shift 2
  [ "${1-}" != -- ] || shift
  case $attempts in '' | *[!0-9]*)
    __mcp_warn "mcp_with_retry: the number of attempts is a whole number"
    return 1
    ;;
  esac
  case $delay in '' | *[!0-9.]* | *.*.*)
    __mcp_warn "mcp_with_retry: the delay is a number of seconds"
    return 1
    ;;
  esac
  while :; do
    code=0
    "$@" || code=$?
    if [ "$code" -le 2 ] || [ "$attempt" -ge "$attempts" ]; then
      return "$code"
    fi
    pause=$(awk -v d="$delay" -v n="$attempt" -v r="$RANDOM" 'BEGIN { print d * 2 ^ (n - 1) * (1 + r / 65536) }')
    mcp_log_debug retry "attempt $attempt of $attempts failed with exit code $code, again in $pause s"
    sleep "$pause"
    attempt=$((attempt + 1))
  done
}

# mcp_extract_cli_error STDOUT STDERR CODE: what a failed command says about itself.
mcp_extract_cli_error() {
  local said=
  if [ -n "${1-}" ]; then
    said=$(printf '%s' "$1" | __mcp_jq -r 'if type != "object" then empty
      elif (.error | type) == "object" and (.error.message | type) == "string" then .error.message
      elif (.error | type) == "string" then .error
      elif .success == false and (.message | type) == "string" then .message
      elif (.errors | type) == "array" then .errors[0] | if type == "object" then .message // empty else strings end
      else empty end' 2>/dev/null) || said=
  fi
  if [ -n "$said" ]; then
    printf '%s' "$said"
  elif [ -n "${2-}" ]; then
    printf '%s' "$2"
  else
    printf 'CLI exited with code %s' "${3:-1}"
  fi
}

# --- Configuration ----------------------------------------------------------------------------

# mcp_config_load [--env NAME] [--file FILE] [--example FILE] [--defaults JSON]: merges at the top
# level, the first named winning, into MCP_CONFIG_JSON. Fails if there is nothing to merge.
mcp_config_load() { __mcp_untraced __mcp_do_config_load "$@"; }
__mcp_do_config_load() {
  local env='' file='' example='' defaults='{}' out value loaded=''
  while [ $# -gt 0 ]; do
    case $1 in
    --env | --file | --example | --defaults)
      case $1 in
      --env) env=${2-} ;;
      --file) file=${2-} ;;
      --example) example=${2-} ;;
      --defaults) defaults=${2-} ;;
      esac
      [ $# -lt 2 ] || shift
      ;;
    esac
    shift
  done
  if ! mcp_is_valid_json "$defaults"; then
    mcp_log_warn config 'Invalid JSON in --defaults, using {}'
    defaults='{}'
  fi
  out=$defaults
  [ -z "$example" ] || __mcp_config_file "$example"
  [ -z "$file" ] || __mcp_config_file "$file"
  if [ -n "$env" ] && [ -n "${!env:-}" ]; then
    value=${!env}
    if mcp_is_valid_json "$value"; then
      __mcp_config_merge "$value"
    elif [ -f "$value" ]; then
      __mcp_config_file "$value"
    else
      mcp_log_warn config "Env var $env is neither valid JSON nor a file path"
    fi
  fi
  export MCP_CONFIG_JSON=$out
  if [ -z "$loaded" ] && [ "$defaults" = '{}' ]; then
    mcp_log_warn config 'No configuration sources loaded'
    return 1
  fi
}

# Merges a file into `out` of the caller.
__mcp_config_file() {
  local text
  [ -f "$1" ] && [ -r "$1" ] || return 0
  text=$(cat -- "$1")
  if mcp_is_valid_json "$text"; then
    __mcp_config_merge "$text"
  else
    mcp_log_warn config "Invalid JSON in file: $1"
  fi
}

# Merges an object into `out` of the caller; other JSON changes nothing.
__mcp_config_merge() {
  local merged
  loaded=1
  if merged=$(printf '%s\n%s' "$out" "$1" | __mcp_jq -cs '.[0] + .[1] | objects' 2>/dev/null) && [ -n "$merged" ]; then
    out=$merged
  fi
}

# mcp_config_get FILTER [--default VALUE]: a value of the configuration. The default stands in for what
# is missing or null, not for an empty text or false.
mcp_config_get() { __mcp_untraced __mcp_do_config_get "$@"; }
__mcp_do_config_get() {
  local filter=${1-} default='' has_default='' got
  [ $# -eq 0 ] || shift
  while [ $# -gt 0 ]; do
    if [ "$1" = --default ]; then
      default=${2-} has_default=1
      [ $# -lt 2 ] || shift
    fi
    shift
  done
  if [ -z "$filter" ]; then
    mcp_log_warn config 'mcp_config_get: path required'
    return 1
  fi
  # One letter in front tells an empty text from nothing.
  got=$(printf '%s' "${MCP_CONFIG_JSON:-"{}"}" | __mcp_jq -r "[($filter) | values | if type == \"string\" then . else tojson end] | if length > 0 then \"=\" + join(\"\n\") else empty end" 2>/dev/null) || got=
  if [ -n "$got" ]; then
    printf '%s' "${got#=}"
  elif [ -n "$has_default" ]; then
    printf '%s' "$default"
  else
    return 1
  fi
}

# --- Kept in files of their own, read when they are first used --------------------------------

__mcp_lib=${BASH_SOURCE[0]%/*}/../lib

mcp_path_normalize() { . "$__mcp_lib/path.sh" && mcp_path_normalize "$@"; }
mcp_path_collapse() { . "$__mcp_lib/path.sh" && mcp_path_collapse "$@"; }
mcp_run_with_progress() { . "$__mcp_lib/progress-passthrough.sh" && mcp_run_with_progress "$@"; }
mcp_resource_detect_mime() { . "$__mcp_lib/resource_content.sh" && mcp_resource_detect_mime "$@"; }
mcp_resource_is_binary_mime() { . "$__mcp_lib/resource_content.sh" && mcp_resource_is_binary_mime "$@"; }
mcp_resource_should_base64() { . "$__mcp_lib/resource_content.sh" && mcp_resource_should_base64 "$@"; }
mcp_resource_content_object_from_file() { . "$__mcp_lib/resource_content.sh" && mcp_resource_content_object_from_file "$@"; }
mcp_json_truncate() { . "$__mcp_lib/truncate.sh" && mcp_json_truncate "$@"; }
mcp_download_safe() { . "$__mcp_lib/download.sh" && mcp_download_safe "$@"; }
mcp_download_safe_or_fail() { . "$__mcp_lib/download.sh" && mcp_download_safe_or_fail "$@"; }

__mcp_ui_sdk=${BASH_SOURCE[0]%/*}/ui-sdk.sh

mcp_client_supports_ui() { . "$__mcp_ui_sdk" && mcp_client_supports_ui "$@"; }
mcp_client_supports_extension() { . "$__mcp_ui_sdk" && mcp_client_supports_extension "$@"; }
mcp_ui_uri() { . "$__mcp_ui_sdk" && mcp_ui_uri "$@"; }
mcp_ui_result() { . "$__mcp_ui_sdk" && mcp_ui_result "$@"; }
mcp_result_with_ui() { . "$__mcp_ui_sdk" && mcp_result_with_ui "$@"; }
mcp_result_with_ui_data() { . "$__mcp_ui_sdk" && mcp_result_with_ui_data "$@"; }
mcp_tool_meta_with_ui() { . "$__mcp_ui_sdk" && mcp_tool_meta_with_ui "$@"; }
mcp_ui_form() { . "$__mcp_ui_sdk" && mcp_ui_form "$@"; }
mcp_ui_table() { . "$__mcp_ui_sdk" && mcp_ui_table "$@"; }

# Names that projects have been seen to use although they are not documented.
__mcp_sdk_json_escape() { mcp_json_escape "$@"; }
__mcp_sdk_warn() { __mcp_warn "$@"; }
