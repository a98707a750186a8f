#!/bin/bash
# Builds the server and opens an editor on it, with nothing to set up.
#
#   editors/try.sh [nvim|hx]
#       a real agent host and a throw-away repository in which an agent has just changed two
#       files and left three comments; both are gone when the editor is left
#   editors/try.sh [nvim|hx] --host URL --token TOKEN DIR
#       a host that you have, and the folder its agent works in
#
# The editor (Neovim 0.11 or newer, or Helix) is the one on the PATH; where there is none, and
# for the host, see editors/e2e/get-editors.sh and get-host.sh, which fetch them into .e2e.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
tools=${AHP_E2E_DIR:-.e2e}
case $tools in /*) ;; *) tools=$root/$tools ;; esac

fail() { echo "try: $*" >&2; exit 1; }
usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"; exit "$1"; }

editor=nvim host="" token="" dir=""
while [ $# -gt 0 ]; do
  case $1 in
    nvim | hx) editor=$1 ;;
    --host) host=${2:?--host needs a URL}; shift ;;
    --token) token=${2:?--token needs a token}; shift ;;
    -h | --help) usage 0 ;;
    -*) usage 1 >&2 ;;
    *) dir=$1 ;;
  esac
  shift
done
[ -z "$host" ] || [ -d "$dir" ] || fail "with --host, name the folder to open"

work=$(mktemp -d)
# On EXIT only: a trap for SIGHUP would wait for the editor, which waits for a closed terminal.
trap 'exec 3>&-; wait; rm -rf "$work"' EXIT

echo "Building the server…"
mkdir "$work/bin"
(cd "$root" && go build -o "$work/bin/ahp-lsp" ./cmd/ahp-lsp) || fail "the server does not build"

# Neovim got vim.lsp.enable in 0.11.
recent_nvim() { nvim --clean --headless -c 'lua os.exit(vim.fn.has("nvim-0.11") == 1 and 0 or 1)' 2>/dev/null; }
case $editor in
  nvim) { command -v nvim >/dev/null && recent_nvim; } || PATH=$tools/editors/bin:$PATH ;;
  hx) command -v hx >/dev/null || PATH=$tools/editors/bin:$PATH ;;
esac
case $PATH in
  "$tools"/*) bash "$root/editors/e2e/get-editors.sh" "$tools/editors" || fail "please install $editor and try again" ;;
esac

if [ -z "$host" ]; then
  bash "$root/editors/e2e/get-host.sh" "$tools/host" || exit $? # it has said why
  echo "Starting the agent host, and the agent…"
  # The host ends when its standard input does: with descriptor 3, so with this script at the latest.
  mkfifo "$work/alive" "$work/ready"
  "$tools/host/bin/node" "$root/editors/e2e/host/start-host.mjs" "$tools/host/vscode" "$work/host" \
    < "$work/alive" > "$work/ready" &
  exec 3> "$work/alive"
  read -r ready < "$work/ready" || fail "the agent host did not start"
  host=$(sed 's/.*"url":"\([^"]*\)".*/\1/' <<< "$ready")
  token=$(sed 's/.*"token":"\([^"]*\)".*/\1/' <<< "$ready")
  dir=$work/greet
  "$tools/host/bin/node" "$root/editors/e2e/host/demo.mjs" "$host" "$token" "$dir" > /dev/null || fail "the agent could not work"
  file=greet.go
else
  file=.
fi

# The server takes the address from the environment: a token in its arguments could be read by others.
export PATH=$work/bin:$PATH AHP_HOST=$host AHP_TOKEN=$token
cd "$dir"
case $editor in
  nvim) nvim --clean --cmd "source $root/editors/neovim/try.lua" "$file" 3>&- ;;
  hx)
    mkdir -p "$work/config/helix"
    cp "$root/editors/helix/languages.toml" "$work/config/helix/"
    printf '[editor]\npopup-border = "all"\n' > "$work/config/helix/config.toml"
    cat > "$work/keys.txt" <<'KEYS'
]d       next thing said here
space d  all of them
space k  hover: the whole thread,
         or the text before the change
space a  what can be done here: resolve,
         reply, accept, revert hunk,
         discard changes …
u        undo, also of a reverted hunk

A comment of your own: type a line

    // ahp: please rename this

and choose space a on it.
KEYS
    [ "$file" = . ] || cat >> "$work/keys.txt" <<'KEYS'

The agent changed README.md, too:
`:open README.md`

`:qa!` leaves: the host ends, the
repository is deleted.
KEYS
    export XDG_CONFIG_HOME=$work/config
    if [ "$file" = . ]; then # a folder has to be Helix's only argument
      cat "$work/keys.txt"
      read -r -p "Press Enter to open Helix. "
      hx . 3>&-
    else
      hx --vsplit "$work/keys.txt" "$file" 3>&-
    fi
    ;;
esac
