#!/bin/bash
# Fetches what the extension is made of and tested with: its npm packages, into node_modules.
#
#   editors/vscode/get-packages.sh
#
# Under a minute the first time; running it again is free. Exit code 3: there is no npm here, or
# npm cannot reach its registry, so this machine cannot have them; 1: anything else went wrong.
set -euo pipefail
cd "$(dirname "$0")"

say() { echo "get-packages: $*" >&2; }
unavailable() { say "$*"; exit 3; }

# The lock file says what is wanted; a copy of it, what is there.
if cmp -s package-lock.json node_modules/.fetched; then
  exit 0
fi
command -v npm >/dev/null || unavailable "npm is missing: the extension's packages come from npm (install Node.js 20 or newer with npm)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm view esbuild version --fetch-retries=1 --fetch-timeout=20000 > "$log" 2>&1; then
  unavailable "npm cannot reach its registry: $(grep -m 1 -iE 'error|ERR!' "$log" || tail -n 1 "$log")"
fi
say "fetching the extension's packages"
# No install scripts: nothing of what is fetched needs to be compiled or to fetch more.
npm ci --ignore-scripts --no-audit --no-fund > "$log" 2>&1 || { grep -v 'npm warn' "$log" | tail -n 30 >&2; say "npm ci: failed"; exit 1; }
cp package-lock.json node_modules/.fetched
