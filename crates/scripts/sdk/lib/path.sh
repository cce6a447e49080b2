# shellcheck shell=bash
# Absolute paths without `.` and `..`, for files that need not exist.

# Text only: what `..` means after a symlink is not looked up.
mcp_path_collapse() {
  local rest=${1:-.} out='' part
  case $rest in /*) ;; *) rest=${PWD%/}/$rest ;; esac
  while [ -n "$rest" ]; do
    part=${rest%%/*}
    case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
    case $part in
    '' | .) ;;
    ..) out=${out%/*} ;;
    *) out=$out/$part ;;
    esac
  done
  printf '%s' "${out:-/}"
}

# mcp_path_normalize [--physical|--logical] PATH: `physical` resolves the symlinks of what exists.
mcp_path_normalize() {
  local mode=physical path tail='' folder
  while [ $# -gt 0 ]; do
    case $1 in
    --physical) mode=physical ;;
    --logical) mode=logical ;;
    --)
      shift
      break
      ;;
    *) break ;;
    esac
    shift
  done
  path=${1:-.}
  if [ "$mode" = logical ]; then
    mcp_path_collapse "$path"
    return
  fi
  local resolved
  if resolved=$(realpath -m -- "$path" 2>/dev/null) && [ -n "$resolved" ]; then
    printf '%s' "$resolved"
    return
  fi
  # Without GNU realpath: resolve the longest part that exists, and put the rest behind it.
  case $path in /*) ;; *) path=${PWD%/}/$path ;; esac
  while [ -n "$path" ] && [ ! -d "$path" ]; do
    if [ -L "$path" ]; then
      local target
      target=$(readlink "$path")
      case $target in /*) path=$target ;; *) path=${path%/*}/$target ;; esac
      continue
    fi
    tail=/${path##*/}$tail
    path=${path%/*}
  done
  folder=$(CDPATH='' cd -P -- "${path:-/}" 2>/dev/null && pwd -P) || folder=$path
  mcp_path_collapse "${folder%/}$tail"
}
