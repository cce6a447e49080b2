# shellcheck shell=bash
# Running a program that reports its progress in words, and passing that on.

# mcp_run_with_progress --pattern REGEX [--extract json|match1|ratio] [--stdout FILE]
#   [--progress-file FILE] [--stderr-file FILE] [--total N] [--interval SECONDS] [--dry-run]
#   [--quiet] -- COMMAND…
# Lines of the command's stderr (or of the file) that match are progress; the others are logged.
mcp_run_with_progress() {
  local pattern='' extract=json out='' file='' errors='' total='' interval=0.2 dry='' quiet=''
  while [ $# -gt 0 ]; do
    case $1 in
    --pattern) pattern=${2-} ;;
    --extract) extract=${2-} ;;
    --stdout) out=${2-} ;;
    --progress-file) file=${2-} ;;
    --stderr-file) errors=${2-} ;;
    --total) total=${2-} ;;
    --interval) interval=${2-} ;;
    --dry-run)
      dry=1
      shift
      continue
      ;;
    --quiet)
      quiet=1
      shift
      continue
      ;;
    --)
      shift
      break
      ;;
    *) break ;;
    esac
    shift
    [ $# -eq 0 ] || shift
  done
  __mcp_progress_options || return 1

  local folder source code=0 pid seen=0
  folder=$(mktemp -d "${TMPDIR:-/tmp}/mcp-progress.XXXXXX") || return 1
  source=${file:-$folder/err}
  : >"$source"
  : >"$folder/err"
  [ -z "$errors" ] || : >"$errors" || errors=
  "$@" >"$folder/out" 2>"$folder/err" &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    if mcp_is_cancelled; then
      kill "$pid" 2>/dev/null
      wait "$pid" 2>/dev/null
      rm -rf -- "$folder"
      return 130
    fi
    __mcp_progress_lines
    sleep "$interval"
  done
  wait "$pid" || code=$?
  __mcp_progress_lines last
  if [ -n "$out" ]; then cp -- "$folder/out" "$out"; else cat -- "$folder/out"; fi
  rm -rf -- "$folder"
  return "$code"
}

# Looks at the options in the caller's variables.
__mcp_progress_options() {
  if [ -z "$pattern" ]; then
    printf 'mcp_run_with_progress: --pattern is required\n' >&2
    return 1
  fi
  case $extract in
  json | match1 | ratio) ;;
  *)
    printf "mcp_run_with_progress: unknown extract mode '%s'\n" "$extract" >&2
    return 1
    ;;
  esac
  case $total in
  '') ;;
  *[!0-9]* | 0)
    printf 'mcp_run_with_progress: --total must be positive integer\n' >&2
    return 1
    ;;
  esac
  case $interval in
  '' | *[!0-9.]* | *.*.* | 0 | 0.0 | .)
    printf 'mcp_run_with_progress: --interval must be a positive number\n' >&2
    return 1
    ;;
  esac
}

# Reads the whole lines after the first `seen` bytes; with an argument, also one without its end.
__mcp_progress_lines() {
  local line
  exec 9<"$source" || return 0
  if [ "$seen" -gt 0 ]; then
    # Lines are counted, not bytes: that needs no seek and no process.
    local skip=$seen
    while [ "$skip" -gt 0 ] && IFS= read -r line <&9; do skip=$((skip - 1)); done
  fi
  while IFS= read -r line <&9 || [ -n "${1:+$line}" ]; do
    seen=$((seen + 1))
    __mcp_progress_line "${line%$'\r'}"
  done
  exec 9<&-
}

__mcp_progress_line() {
  local line=$1 value='' message=$1
  if ! [[ $line =~ $pattern ]]; then
    [ -z "$errors" ] || printf '%s\n' "$line" >>"$errors" 2>/dev/null || :
    [ -n "$quiet" ] || mcp_log_debug mcp_run_with_progress "$line"
    return 0
  fi
  local one=${BASH_REMATCH[1]:-} two=${BASH_REMATCH[2]:-}
  case $extract in
  json)
    local both
    both=$(printf '%s' "$line" | __mcp_jq -r 'select(.progress != null) | "\(.progress)\t\(.message // "Working...")"' 2>/dev/null) || return 0
    value=${both%%$'\t'*} message=${both#*$'\t'}
    ;;
  match1)
    value=$one
    case $value in '' | *[!0-9.]*) return 0 ;; esac
    [ -z "$total" ] || value=$((${value%%.*} * 100 / total))
    ;;
  ratio)
    case $one:$two in *[!0-9:]* | :* | *: | *:0) return 0 ;; esac
    value=$((one * 100 / two))
    ;;
  esac
  value=${value%%.*}
  case $value in '' | *[!0-9]*) return 0 ;; esac
  if [ -n "$dry" ]; then
    printf '{"progress":%s,"message":%s}\n' "$value" "$(mcp_json_escape "$message")" >&2
  else
    mcp_progress "$value" "$message"
  fi
}
