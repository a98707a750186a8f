#!/bin/bash
# Puts Neovim and Helix, of the versions the end-to-end tests are written for, into a folder.
#
#   editors/e2e/get-editors.sh DIR      afterwards: DIR/bin/nvim and DIR/bin/hx
#
# The programs come from Debian's next release (bookworm's own are too old: Neovim 0.7, no
# Helix). Nothing is installed into the system: a private apt downloads the packages with all
# their libraries, and the two programs are made to load those libraries. Running it again is
# free. As root it installs what it needs itself (patchelf; tmux, in which the tests run Helix).
# Exit code 3: this machine cannot have them; 1: anything else that went wrong.
set -euo pipefail

suite=forky
dir=${1:?usage: get-editors.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

say() { echo "get-editors: $*" >&2; }
fail() { say "$*"; exit 1; }
unavailable() { say "$*"; exit 3; }

missing=""
for tool in patchelf tmux; do
  command -v "$tool" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || unavailable "please install$missing, then run this again"
  [ "$(id -u)" = 0 ] || unavailable "please run 'apt-get install$missing' as root, then run this again"
  say "installing$missing"
  { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >/dev/null ||
    unavailable "apt-get could not install$missing"
fi

# The folder's own path is in the programs (interpreter and library path), so it is part of the stamp.
stamp="debian $suite, layout 1, $dir"
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
if ! command -v apt-get >/dev/null || [ ! -f "$keyring" ]; then
  [ ! -x "$dir/bin/nvim" ] || [ ! -x "$dir/bin/hx" ] || exit 0
  unavailable "this is no Debian: please link an nvim 0.12 and an hx 25.07 of yours into $dir/bin"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{none,lists/partial,archives/partial}
: > "$work/status" # no package counts as installed, so that apt fetches the libraries too, libc included

# The machine's own mirror serves every suite of Debian.
mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources} 2>/dev/null |
  grep -v '^ *#' | grep -oE '(https?|file)://[^] ]+/debian/?( |$)' | head -n 1 | tr -d ' ' || true)
[ -n "$mirror" ] || unavailable "no Debian mirror is named in /etc/apt/sources.list*"
echo "deb [signed-by=$keyring] $mirror $suite main" > "$work/sources.list"

# A configuration given by APT_CONFIG is read before the system's, whose parts are then not read
# at all: hooks in /etc/apt/apt.conf.d act on the system's cache and have no business here.
cat > "$work/apt.conf" <<CONF
Dir::Etc::main "/dev/null";
Dir::Etc::parts "$work/none";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "$work/none";
Dir::Etc::sourcelist "$work/sources.list";
Dir::Etc::sourceparts "$work/none";
Dir::State "$work";
Dir::State::lists "$work/lists";
Dir::State::status "$work/status";
Dir::Cache "$work";
Dir::Cache::archives "$work/archives";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
// a mirror may be a frozen copy, older than its lists are valid; signatures are still checked
Acquire::Check-Valid-Until "false";
Acquire::Retries "3";
CONF

say "fetching Neovim and Helix out of Debian $suite (18 MB)"
if ! { APT_CONFIG="$work/apt.conf" apt-get update -q &&
  APT_CONFIG="$work/apt.conf" apt-get install -q -y --download-only neovim hx; } > "$work/log" 2>&1; then
  tail -n 20 "$work/log" >&2
  unavailable "apt could not fetch neovim and hx from the mirror"
fi

rm -rf "$dir"/{stamp,bin,usr,etc,lib,lib64}
for package in "$work"/archives/*.deb; do
  dpkg -x "$package" "$dir"
done

# The loader and the library path are written into the programs. Starting them through ld.so
# instead would make them take ld.so for themselves: nvim's v:progpath, Helix's runtime folder.
libraries=$(dirname "$(find "$dir/usr/lib" -name 'libc.so.6' | head -n 1)")
loader=$(find "$libraries" -name 'ld-linux*.so*' | head -n 1)
for program in "$dir/usr/bin/nvim" "$dir/usr/lib/hx/hx"; do
  patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
done

mkdir -p "$dir/bin"
wrapper() { # wrapper NAME VARIABLE RUNTIME PROGRAM
  printf '#!/bin/sh\n%s="%s" exec "%s" "$@"\n' "$2" "$3" "$4" > "$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}
wrapper nvim VIMRUNTIME "$dir/usr/share/nvim/runtime" "$dir/usr/bin/nvim"
wrapper hx HELIX_RUNTIME "$dir/usr/lib/hx/runtime" "$dir/usr/lib/hx/hx"

say "$("$dir/bin/nvim" --version | head -n 1), $("$dir/bin/hx" --version)"
echo "$stamp" > "$dir/stamp"
