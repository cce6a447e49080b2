# shellcheck shell=bash
# Downloads over https from hosts that were named, and from nowhere inside the network.

# mcp_download_safe --url URL --out FILE [--allow HOST]… [--timeout SECONDS] [--max-bytes N]
#   [--user-agent TEXT]: prints {"success":true,"bytes":N,"path":FILE} or
#   {"success":false,"error":{"type":…,"message":…}}, and succeeds either way.
mcp_download_safe() {
  local url='' out='' allow=${MCPBASH_HTTPS_ALLOW_HOSTS:-} timeout=15 max=10485760 agent=linkspan-tool
  while [ $# -gt 0 ]; do
    case $1 in
    --url) url=${2-} ;;
    --out) out=${2-} ;;
    --allow) allow="$allow ${2-}" ;;
    --timeout) timeout=${2-} ;;
    --max-bytes) max=${2-} ;;
    --user-agent) agent=${2-} ;;
    *)
      __mcp_no_download invalid_params "unknown option $1"
      return 0
      ;;
    esac
    shift
    [ $# -eq 0 ] || shift
  done
  case $url in https://?*) ;; *)
    __mcp_no_download invalid_url "only https:// addresses are fetched"
    return 0
    ;;
  esac
  case $timeout:$max in *[!0-9:]* | :* | *:)
    __mcp_no_download invalid_params "--timeout and --max-bytes are whole numbers"
    return 0
    ;;
  esac
  if [ -z "$out" ]; then
    __mcp_no_download invalid_params "--out is required"
    return 0
  fi
  local authority=${url#https://} host port=443
  authority=${authority%%[/?#]*}
  host=$authority
  case $authority in
  *@*)
    __mcp_no_download invalid_url "an address with a user name is not fetched"
    return 0
    ;;
  *:*) host=${authority%:*} port=${authority##*:} ;;
  esac
  host=$(printf '%s' "$host" | tr '[:upper:]' '[:lower:]')
  __mcp_download_host || return 0
  __mcp_download_fetch
}

# mcp_download_safe_or_fail …: prints the path, or fails the tool.
mcp_download_safe_or_fail() {
  local answer path
  answer=$(mcp_download_safe "$@")
  if path=$(printf '%s' "$answer" | __mcp_jq -re 'select(.success) | .path' 2>/dev/null); then
    printf '%s' "$path"
  else
    mcp_fail_invalid_args "$(printf '%s' "$answer" | __mcp_jq -r '"download failed: \(.error.message)"')" "$answer"
  fi
}

__mcp_no_download() {
  printf '{"success":false,"error":{"type":"%s","message":%s%s}}' "$1" "$(mcp_json_escape "$2")" "${3:-}"
}

# Is the host allowed, and where is it? Sets `address`, which curl is then held to, so that a
# second look-up cannot lead elsewhere.
__mcp_download_host() {
  local each ok=''
  [ "${MCPBASH_HTTPS_ALLOW_ALL:-}" != true ] || ok=1
  for each in ${allow//,/ }; do
    [ "$each" != "$host" ] || ok=1
  done
  if [ -z "$ok" ]; then
    __mcp_no_download host_blocked "$host is not an allowed host; name it with --allow"
    return 1
  fi
  case $host in
  '' | *[!a-z0-9.-]* | localhost | *.localhost | *.local | *.internal | 0x* | *[!0-9]*.) ;;
  *.*)
    case $host in
    *[a-z]*)
      address=$(getent ahosts "$host" 2>/dev/null | awk 'NR == 1 { print $1 }') || address=
      if [ -z "$address" ]; then
        __mcp_no_download network_error "$host was not found"
        return 1
      fi
      ;;
    *) address=$host ;;
    esac
    if ! __mcp_is_private "$address"; then return 0; fi
    ;;
  esac
  __mcp_no_download host_blocked "$host is not on the public network"
  return 1
}

__mcp_is_private() {
  case $1 in
  0.* | 10.* | 127.* | 169.254.* | 192.168.* | 192.0.0.* | 198.18.* | 198.19.* | 22[4-9].* | 23[0-9].* | 24[0-9].* | 25[0-5].*) return 0 ;;
  172.1[6-9].* | 172.2[0-9].* | 172.3[01].*) return 0 ;;
  100.6[4-9].* | 100.[7-9][0-9].* | 100.1[01][0-9].* | 100.12[0-7].*) return 0 ;;
  ::* | [fF][cCdDeEfF]* | 64:ff9b:* | 2002:*) return 0 ;;
  [0-9]*.[0-9]*.[0-9]*.[0-9]* | *:*:*) return 1 ;;
  esac
  return 0
}

__mcp_download_fetch() {
  local attempt said code status
  if ! command -v curl >/dev/null 2>&1; then
    __mcp_no_download provider_unavailable "curl is not installed"
    return 0
  fi
  for attempt in 1 2 3; do
    code=0
    said=$(curl -sS --proto =https --max-redirs 0 --max-time "$timeout" --max-filesize "$max" \
      --resolve "$host:$port:$address" -A "$agent" -o "$out.part.$$" \
      -w '%{http_code} %{redirect_url}' -- "$url" 2>&1) || code=$?
    status=${said%% *}
    case $code:$status in
    0:2??)
      local bytes
      bytes=$(wc -c <"$out.part.$$")
      if [ "$((bytes))" -gt "$max" ]; then break; fi
      if ! mv -f -- "$out.part.$$" "$out"; then
        rm -f -- "$out.part.$$"
        __mcp_no_download write_error "cannot write $out"
        return 0
      fi
      printf '{"success":true,"bytes":%s,"path":%s}' "$((bytes))" "$(mcp_json_escape "$out")"
      return 0
      ;;
    0:3??)
      rm -f -- "$out.part.$$"
      __mcp_no_download redirect "the address leads elsewhere" ",\"location\":$(mcp_json_escape "${said#* }")"
      return 0
      ;;
    0:4??)
      rm -f -- "$out.part.$$"
      __mcp_no_download network_error "the server answered $status"
      return 0
      ;;
    63:*) break ;;
    23:*)
      rm -f -- "$out.part.$$"
      __mcp_no_download write_error "cannot write $out"
      return 0
      ;;
    esac
    rm -f -- "$out.part.$$"
    if [ "$attempt" -eq 3 ]; then
      __mcp_no_download network_error "${said:-the server answered $status}"
      return 0
    fi
    sleep "$attempt"
  done
  rm -f -- "$out.part.$$"
  __mcp_no_download size_exceeded "it is longer than $max bytes"
}
