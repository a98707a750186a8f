#!/bin/bash
# Runs every test of the project, after fetching what the end-to-end tests need into .e2e:
# Neovim, Helix, Emacs, Vim and a real agent host (see editors/e2e; 1 GB and some minutes the
# first time).
#
#   editors/test.sh [ARGUMENT FOR go test …]
#
# A machine that cannot have one of them still runs the other tests, and is told so at the end.
# With AHP_E2E=required, as in CI, it is a failure instead.
set -uo pipefail
cd "$(dirname "$0")/.."
export AHP_E2E_DIR=${AHP_E2E_DIR:-$PWD/.e2e}

skipped=""
fetch() { # fetch NAME WHAT: exit code 3 means that this machine cannot have it
  "editors/e2e/get-$1.sh" "$AHP_E2E_DIR/$1"
  case $? in
    0) ;;
    3) [ "${AHP_E2E-}" != required ] || exit 3
       skipped="$skipped
  NOT RUN: the end-to-end tests that need $2; the reason is above (get-$1)." ;;
    *) exit 1 ;;
  esac
}
fetch editors "Neovim and Helix"
fetch others "Emacs and Vim"
fetch host "the real agent host"
[ -n "$skipped" ] || export AHP_E2E=required

race=-race
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "$(go env CC)" >/dev/null; then
  race=""
  skipped="$skipped
  WITHOUT the race detector: it needs a C compiler."
fi

# The end-to-end tests come last and alone: editors and host have the machine for themselves.
failed=0
go vet ./... || failed=1
go test $race "$@" $(go list ./... | grep -v /editors/e2e) || failed=1
go test $race -count=1 "$@" ./editors/e2e || failed=1

if [ $failed = 0 ]; then
  echo "All tests passed.$skipped"
else
  echo "Some tests FAILED. What the end-to-end tests saw is in $AHP_E2E_DIR/artefacts.$skipped"
fi
exit $failed
