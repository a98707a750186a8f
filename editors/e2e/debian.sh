# Programs out of a newer Debian than the machine's, for get-editors.sh and get-others.sh, which
# source this. Nothing is installed into the system: a private apt downloads the packages with all
# their libraries, and the programs are made to load those libraries.
#
# The script that sources it has `me` (its name, for messages) and `dir` (where the programs go).

say() { echo "$me: $*" >&2; }
fail() { say "$*"; exit 1; }
unavailable() { say "$*"; exit 3; }

# need_tools TOOL …: programs of the system, installed where this may be done.
need_tools() {
  local missing="" tool
  for tool in "$@"; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
  done
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || unavailable "please install$missing, then run this again"
  [ "$(id -u)" = 0 ] || unavailable "please run 'apt-get install$missing' as root, then run this again"
  say "installing$missing"
  { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >/dev/null ||
    unavailable "apt-get could not install$missing"
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
is_debian() { command -v apt-get >/dev/null && [ -f "$keyring" ]; }

# unpack_packages SUITE PACKAGE …: the packages and all they depend on, unpacked into $dir.
unpack_packages() {
  local suite=$1 mirror package
  shift
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
  if ! { APT_CONFIG="$work/apt.conf" apt-get update -q &&
    APT_CONFIG="$work/apt.conf" apt-get install -q -y --download-only "$@"; } > "$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    unavailable "apt could not fetch $* from the mirror"
  fi

  rm -rf "$dir"/{stamp,bin,usr,etc,lib,lib64}
  for package in "$work"/archives/*.deb; do
    dpkg -x "$package" "$dir"
  done
  mkdir -p "$dir/bin"
}

# own_libraries PROGRAM …: has programs in $dir load the libraries that came with them.
# The loader and the library path are written into the programs. Starting them through ld.so
# instead would make them take ld.so for themselves: nvim's v:progpath, Helix's runtime folder.
own_libraries() {
  local libraries loader program
  libraries=$(dirname "$(find "$dir/usr/lib" -name 'libc.so.6' | head -n 1)")
  loader=$(find "$libraries" -name 'ld-linux*.so*' | head -n 1)
  for program in "$@"; do
    patchelf --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$program"
  done
}
