
# Programs with windows often start without the PATH of a terminal.
for profile in "${HOME:-}/.zshrc" "${HOME:-}/.bash_profile" "${HOME:-}/.bashrc" "${HOME:-}/.profile"; do
  if [ -f "$profile" ]; then
    set +eu
    # shellcheck source=/dev/null
    . "$profile" >/dev/null 2>&1
    set -eu
    break
  fi
done
