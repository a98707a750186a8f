#!/bin/bash
# Runs every test of the project, after fetching what the end-to-end tests need into .e2e:
# Neovim, Helix, Emacs, Vim, a real agent host, and the packages of the VS Code extension (see
# editors/e2e and editors/vscode; 1.5 GB and some minutes the first time).
#
#   editors/test.sh [ARGUMENT FOR go test …]
#   editors/test.sh --quick [ARGUMENT FOR go test …]
#
# --quick runs the linters and the unit and golden tests alone, without the race detector: less than
# two minutes once built, and nothing is fetched but Go modules.
#
# A machine that cannot have one of them still runs the other tests; the end says what was left out.
# With AHP_E2E=required, as in CI, it is a failure instead.
set -uo pipefail
cd "$(dirname "$0")/.."
export AHP_E2E_DIR=${AHP_E2E_DIR:-$PWD/.e2e}

units() { go list ./... | grep -v /editors/e2e; }
if [ "${1-}" = --quick ]; then
  shift
  code=0
  .ci/lint --offline || code=1
  go test -short "$@" $(units) || code=1
  [ $code = 0 ] && echo "The quick tests passed." || echo "Some of the quick tests FAILED."
  exit $code
fi

wanted=${AHP_E2E-}
skipped="" failed=0

# attempt WHAT COMMAND…: whether it went well. Exit code 3 means that this machine cannot do it.
attempt() {
  local what=$1 code=0
  shift
  "$@" || code=$?
  case $code in
    0) return 0 ;;
    3) skipped="$skipped
  NOT RUN: $what; the reason is above (${1##*/})."
       [ "$wanted" != required ] || failed=1 ;;
    *) failed=1 ;;
  esac
  return 1
}
fetch() { attempt "the end-to-end tests that need $2" "editors/e2e/get-$1.sh" "$AHP_E2E_DIR/$1" || complete=""; }
stop_if_failed() { [ $failed = 0 ] || { echo "What the tests need is MISSING.$skipped"; exit 1; }; }

complete=yes
fetch editors "Neovim and Helix"
fetch others "Emacs and Vim"
fetch host "the real agent host"
fetch packaging "what makes and checks packages"
[ -z "$complete" ] || export AHP_E2E=required
attempt "the tests of the VS Code extension" editors/vscode/get-packages.sh && extension=yes || extension=""
stop_if_failed

race=-race
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "$(go env CC)" >/dev/null; then
  race=""
  skipped="$skipped
  WITHOUT the race detector: it needs a C compiler."
fi

.ci/lint || failed=1
go test $race "$@" $(units) || failed=1
# Where comments end up on real files, years of versions later: some 100 MB of modules.
[ "$wanted" != required ] || AHP_CORPUS=1 go test "$@" -count=1 -run 'TestCorpus$' ./mapping || failed=1
if [ -n "$extension" ]; then
  # Node.js of the host's version, where there is one: the system's may be too old.
  node=$AHP_E2E_DIR/host/bin/node
  [ -x "$node" ] || node=node
  "$node" editors/vscode/scripts/test.mjs || failed=1
fi

# The end-to-end tests come last and one by one: editors and host have the machine for themselves.
go test $race -count=1 "$@" ./editors/e2e || failed=1
if [ -n "$extension" ]; then
  attempt "the end-to-end test of the VS Code extension" editors/vscode/e2e/run.sh
fi

if [ $failed = 0 ]; then
  echo "All tests passed.$skipped"
else
  echo "Some tests FAILED. What the end-to-end tests saw is in $AHP_E2E_DIR/artefacts.$skipped"
fi
exit $failed
