#!/bin/bash
# Puts Emacs (with Eglot and lsp-mode) and Vim (with the plugin ALE) into a folder, and the source
# of the grammar that Helix, which has none in Debian, colours Go with in the picture of it.
#
#   editors/e2e/get-others.sh DIR      afterwards: DIR/bin/emacs, DIR/bin/vim, DIR/ale, DIR/grammar-go
#
# They come from Debian's next release, see debian.sh. Running it again is free. As root it
# installs what it needs itself (patchelf; tmux, in which the tests run Vim).
# Exit code 3: this machine cannot have them; 1: anything else that went wrong.
set -euo pipefail

me=get-others suite=forky
dir=${1:?usage: get-others.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P) # by its real name: a link to what is there already is no other folder
. "$(dirname "${BASH_SOURCE[0]}")/debian.sh"

need_tools patchelf tmux

stamp="debian $suite, layout 6, $dir"
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi
if ! is_debian; then
  [ ! -x "$dir/bin/emacs" ] || [ ! -x "$dir/bin/vim" ] || [ ! -e "$dir/ale" ] || exit 0
  unavailable "this is no Debian: please link an emacs 30 and a vim 9 of yours into $dir/bin, and the plugin ALE 4 as $dir/ale"
fi

say "fetching Emacs and Vim out of Debian $suite (100 MB)"
unpack_packages "$suite" emacs-nox elpa-lsp-mode vim vim-ale tree-sitter-go-src
own_libraries "$dir/usr/bin/emacs-nox" "$dir/usr/bin/vim.basic"
# A compiler comes with Emacs: half of it all.
rm -rf "$dir"/usr/{include,{lib,libexec}/gcc,share/{doc,man,locale},bin/*-linux-gnu-*,lib/*/{*.a,*san.so*}}

# Emacs looks for its files where it was to be installed; this says where each kind is.
version=$(basename "$dir"/usr/share/emacs/[0-9]*)
lisp=$dir/usr/share/emacs/$version/lisp
cat > "$dir/bin/emacs" <<SH
#!/bin/sh
EMACSDATA="$dir/usr/share/emacs/$version/etc" EMACSDOC="$dir/usr/share/emacs/$version/etc" \\
EMACSPATH="$(dirname "$dir"/usr/libexec/emacs/"$version"/*/*.pdmp)" \\
EMACSLOADPATH="$(find "$lisp" "$dir/usr/share/emacs/site-lisp/elpa-src" -type d | tr '\n' ':')" \\
exec "$dir/usr/bin/emacs-nox" --dump-file="$(ls "$dir"/usr/libexec/emacs/"$version"/*/*.pdmp)" "\$@"
SH
cat > "$dir/bin/vim" <<SH
#!/bin/sh
VIMRUNTIME="$(ls -d "$dir"/usr/share/vim/vim[0-9]*)" exec "$dir/usr/bin/vim.basic" "\$@"
SH
chmod +x "$dir"/bin/*
ln -sfn usr/share/vim-ale "$dir/ale"

# Installing would compile lsp-mode, whose source takes Emacs seconds to load. Its parts for
# packages that are not here do not compile, and are not needed.
say "compiling lsp-mode"
"$dir/bin/emacs" --batch -Q --eval "(byte-recompile-directory \"$dir/usr/share/emacs/site-lisp/elpa-src\" 0)" > "$work/log" 2>&1 || true
ln -sfn "$(cd "$dir" && ls -d usr/src/tree-sitter/go/*/parser/src)" "$dir/grammar-go"

say "$("$dir/bin/emacs" --version 2>/dev/null | head -n 1), $("$dir/bin/vim" --version | head -n 1)"
echo "$stamp" > "$dir/stamp"
