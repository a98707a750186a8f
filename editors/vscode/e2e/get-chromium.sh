#!/bin/bash
# Says where Chromium is, which it installs where it is missing and that is possible.
#
#   editors/vscode/e2e/get-chromium.sh      prints the program's path
#
# $AHP_E2E_CHROMIUM names another one. Exit code 3: there is none, and none can be installed.
set -euo pipefail

say() { echo "get-chromium: $*" >&2; }
find_it() {
  local name
  for name in ${AHP_E2E_CHROMIUM:-chromium chromium-browser google-chrome}; do
    command -v "$name" && return
  done
  return 1
}

find_it && exit
{ command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; } || { say "Chromium is missing: please install it, then run this again"; exit 3; }
say "installing Chromium"
{ apt-get update -q && apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null || { say "Chromium cannot be installed"; exit 3; }
find_it
