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
# With AHP_RELEASE=1 archives and packages are made and checked too, with AHP_RELEASE=all those of
# every platform.
#
# A machine that cannot have one of them still runs the other tests. The end lists what was skipped,
# and why. With AHP_E2E=required, as in CI, a missing tool is a failure instead.
set -uo pipefail
cd "$(dirname "$0")/.."
export AHP_E2E_DIR=${AHP_E2E_DIR:-$PWD/.e2e}

wanted=${AHP_E2E-}
failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
skipped=$work/skipped
: > "$skipped"
go build -o "$work/report" ./editors/report || exit 1

# attempt WHAT COMMAND…: whether it succeeded. Exit code 3 means that this machine cannot do it.
attempt() {
  local what=$1 code=0
  shift
  { "$@" 2>&1 1>&3 | tee "$work/errors" >&2; } 3>&1 || code=$?
  case $code in
    0) return 0 ;;
    3) echo "$what: $(tail -n 1 "$work/errors")" >> "$skipped"
       [ "$wanted" != required ] || failed=1 ;;
    *) failed=1 ;;
  esac
  return 1
}
fetch() { attempt "the end-to-end tests that need $2" "editors/e2e/get-$1.sh" "$AHP_E2E_DIR/$1" || complete=""; }

units() { go list ./... | grep -v /editors/e2e; }

# go_test ARGUMENT…: go test, whose skipped tests are noted.
go_test() { go test -json "$@" | "$work/report" "$skipped"; }

# tap COMMAND…: a command that reports in TAP, whose skipped tests are noted.
tap() {
  local code=0
  "$@" | tee "$work/tap" || code=$?
  sed -nE 's/^ *(not )?ok [0-9]+ - (.*) # SKIP ?(.*)$/\2: \3/p' "$work/tap" | sed 's/: $/: no reason given/' >> "$skipped"
  return $code
}

# finish WORDS: says how it went, and what was skipped.
finish() {
  echo "$1"
  if [ -s "$skipped" ]; then
    echo "Skipped:"
    sed 's/^/  /' "$skipped"
  else
    echo "Nothing was skipped."
  fi
  exit $failed
}

if [ "${1-}" = --quick ]; then
  shift
  AHP_SKIPPED=$skipped .ci/lint --offline || failed=1
  go_test -short "$@" $(units) || failed=1
  [ $failed = 0 ] && finish "The quick tests passed." || finish "Some of the quick tests FAILED."
fi

complete=yes
fetch editors "Neovim and Helix"
fetch others "Emacs and Vim"
fetch host "the real agent host"
# A gigabyte, and only for who changes how the program is packaged.
[ -z "${AHP_RELEASE-}" ] || fetch packaging "what makes and checks packages"
[ -z "$complete" ] || export AHP_E2E=required
attempt "the tests of the VS Code extension" editors/vscode/get-packages.sh && extension=yes || extension=""
[ $failed = 0 ] || finish "What the tests need is MISSING."

race=-race
if [ "$(go env CGO_ENABLED)" != 1 ] || ! command -v "$(go env CC)" >/dev/null; then
  race=""
  echo "the race detector: it needs a C compiler" >> "$skipped"
fi

AHP_SKIPPED=$skipped .ci/lint || failed=1
go_test $race "$@" $(units) || failed=1
# Where comments end up on real files, years of versions later: some 100 MB of modules.
if [ "$wanted" = required ]; then
  grep -v '^TestCorpus in ' "$skipped" > "$work/others"
  mv "$work/others" "$skipped"
  AHP_CORPUS=1 go_test "$@" -count=1 -run 'TestCorpus$' ./mapping || failed=1
fi
if [ -n "$extension" ]; then
  # Node.js of the host's version, where there is one: the system's may be too old.
  node=$AHP_E2E_DIR/host/bin/node
  [ -x "$node" ] || node=node
  tap "$node" editors/vscode/scripts/test.mjs || failed=1
fi

# The end-to-end tests come last and one by one: editors and host have the machine for themselves.
go_test $race -count=1 -timeout 25m "$@" ./editors/e2e || failed=1
if [ -n "$extension" ]; then
  attempt "the end-to-end test of the VS Code extension" tap editors/vscode/e2e/run.sh
fi

if [ $failed = 0 ]; then
  finish "All tests passed."
else
  finish "Some tests FAILED. What the end-to-end tests saw is in $AHP_E2E_DIR/artefacts."
fi
