#!/bin/bash
# Puts Neovim and Helix, of the versions the end-to-end tests are written for, into a folder.
#
#   editors/e2e/get-editors.sh DIR      afterwards: DIR/bin/nvim and DIR/bin/hx
#
# The programs come from Debian's next release (bookworm's own are too old: Neovim 0.7, no
# Helix); see debian.sh. Running it again is free. As root it installs what it needs itself
# (patchelf; tmux, in which the tests run Helix).
# Exit code 3: this machine cannot have them; 1: anything else that went wrong.
set -euo pipefail

me=get-editors suite=forky
dir=${1:?usage: get-editors.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P) # by its real name: a link to what is there already is no other folder
. "$(dirname "${BASH_SOURCE[0]}")/debian.sh"

need_tools patchelf tmux

# The folder's own path is in the programs (interpreter and library path), so it is part of the stamp.
stamp="debian $suite, layout 1, $dir"
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi
if ! is_debian; then
  [ ! -x "$dir/bin/nvim" ] || [ ! -x "$dir/bin/hx" ] || exit 0
  unavailable "this is no Debian: please link an nvim 0.12 and an hx 25.07 of yours into $dir/bin"
fi

say "fetching Neovim and Helix out of Debian $suite (18 MB)"
unpack_packages "$suite" neovim hx
own_libraries "$dir/usr/bin/nvim" "$dir/usr/lib/hx/hx"

wrapper() { # wrapper NAME VARIABLE RUNTIME PROGRAM
  printf '#!/bin/sh\n%s="%s" exec "%s" "$@"\n' "$2" "$3" "$4" > "$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}
wrapper nvim VIMRUNTIME "$dir/usr/share/nvim/runtime" "$dir/usr/bin/nvim"
wrapper hx HELIX_RUNTIME "$dir/usr/lib/hx/runtime" "$dir/usr/lib/hx/hx"

say "$("$dir/bin/nvim" --version | head -n 1), $("$dir/bin/hx" --version)"
echo "$stamp" > "$dir/stamp"
