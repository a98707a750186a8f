#!/bin/bash
# Runs the plugin's tests inside Neovim, against the real server on throw-away repositories:
#
#   editors/neovim/test/run.sh [FILE…]
#
# Neovim is the one on the PATH, or the one that editors/e2e/get-editors.sh fetched. $AHP_LSP names a
# server that is built already. Each test is printed, and at the end "N passed, N failed".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
tools=${AHP_E2E_DIR:-.e2e}
case $tools in /*) ;; *) tools=$root/$tools ;; esac

# Neovim got vim.lsp.enable in 0.11.
recent() { nvim --clean --headless -c 'lua os.exit(vim.fn.has("nvim-0.11") == 1 and 0 or 1)' 2>/dev/null; }
if ! command -v nvim >/dev/null || ! recent; then
  PATH=$tools/editors/bin:$PATH
  command -v nvim >/dev/null || { echo "run: no Neovim: editors/e2e/get-editors.sh $tools/editors fetches it" >&2; exit 1; }
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
if [ -n "${AHP_LSP-}" ]; then
  ln -s "$(realpath "$AHP_LSP")" "$work/bin/ahp-lsp"
else
  (cd "$root" && go build -o "$work/bin/ahp-lsp" ./cmd/ahp-lsp)
fi
for name in $(env | sed -n 's/^\(AHP_[A-Z_]*\|GIT_[A-Z_]*\|XDG_[A-Z_]*\)=.*/\1/p'); do
  unset "$name"
done
export PATH=$work/bin:$PATH AHP_TEST_DIR=$work
nvim --clean --headless -l "$here/run.lua" "$@"
