#!/bin/bash
# Puts into a folder what makes and checks packages: goreleaser, of the version that
# internal/release names, and out of Debian's next release shellcheck, Ruby, Nix, rpm, Kakoune, QEMU's
# programs that run other machines' programs, and the Emacs library package-lint.
#
#   editors/e2e/get-packaging.sh DIR      afterwards: DIR/bin/goreleaser, DIR/bin/shellcheck, …
#
# Running it again is free. Exit code 3: this machine cannot have them; 1: anything else that went
# wrong.
set -euo pipefail

me=get-packaging suite=forky
dir=${1:?usage: get-packaging.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P)
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
. "$repository/editors/e2e/debian.sh"

goreleaser=$(sed -n 's/^const goreleaser = "\(.*\)"$/\1/p' "$repository/internal/release/build.go")
[ -n "$goreleaser" ] || fail "internal/release/build.go does not name goreleaser"

stamp="debian $suite, layout 3, $goreleaser, $dir"
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi
is_debian || unavailable "this is no Debian: the checks of packages are made there"
need_tools patchelf

# A machine with nothing but git and Neovim, for chroot. dpkg has nothing installed there.
say "fetching git and Neovim out of Debian $suite (60 MB)"
tools=$dir
dir=$tools/machine
mkdir -p "$dir"
unpack_packages "$suite" base-files bash coreutils git neovim
rm -rf "$dir"/usr/share/{doc,man,locale} "$dir"/usr/lib/git-core/git-gui*
mkdir -p "$dir"/var/lib/dpkg/{info,updates,triggers}
: > "$dir/var/lib/dpkg/status"
tar -C "$dir" -cf "$tools/machine.tar" .
rm -rf "$dir" "$work"
dir=$tools

say "fetching shellcheck, Ruby, Nix, rpm, Kakoune and QEMU out of Debian $suite (200 MB)"
unpack_packages "$suite" shellcheck ruby nix-bin rpm qemu-user kakoune elpa-package-lint
programs=$(cd "$dir/usr/bin" && ls -d ruby3.*[0-9])
for program in shellcheck "$programs" nix rpm kak; do
  own_libraries "$dir/usr/bin/$program"
done
rm -rf "$dir"/usr/share/{doc,man,locale} "$dir"/usr/bin/qemu-system* "$dir"/usr/lib/gcc

libraries=$(dirname "$(find "$dir/usr/lib" -name 'libc.so.6' | head -n 1)")
version=${programs#ruby}
cat > "$dir/bin/ruby" <<SH
#!/bin/sh
RUBYLIB="$dir/usr/lib/ruby/vendor_ruby:$(echo "$dir"/usr/lib/ruby/"$version"*):$libraries/ruby/$(basename "$dir"/usr/lib/ruby/"$version"*)" exec "$dir/usr/bin/$programs" --disable-gems "\$@"
SH
cat > "$dir/bin/nix-instantiate" <<SH
#!/bin/sh
state=\$(mktemp -d)
NIX_STORE_DIR=\$state/store NIX_STATE_DIR=\$state/state NIX_LOG_DIR=\$state/log NIX_CONF_DIR=\$state HOME=\$state "$dir/usr/bin/nix-instantiate" "\$@"
code=\$?
rm -rf "\$state"
exit \$code
SH
cat > "$dir/bin/rpm" <<SH
#!/bin/sh
RPM_CONFIGDIR="$dir/usr/lib/rpm" exec "$dir/usr/bin/rpm" --define "_dbpath \$(mktemp -d)" "\$@"
SH
chmod +x "$dir"/bin/*
for program in shellcheck kak qemu-aarch64 qemu-arm qemu-riscv64; do
  ln -sfn "../usr/bin/$program" "$dir/bin/$program"
done
ln -sfn "$(cd "$dir" && ls -d usr/share/emacs/site-lisp/elpa-src/package-lint-*)" "$dir/package-lint"

say "building goreleaser (some minutes)"
GOBIN=$dir/bin go install "$goreleaser" || unavailable "goreleaser could not be built"

say "$("$dir/bin/shellcheck" --version | sed -n 2p), $("$dir/bin/ruby" --version | cut -d' ' -f1,2)"
echo "$stamp" > "$dir/stamp"
