#!/bin/bash
# Runs the extension, packaged with the language server of this repository in it, in VS Code itself
# (code-server in a headless Chromium) against a real agent host. About a minute, after the first
# time.
#
#   editors/vscode/e2e/run.sh [--pictures | --apart]
#
# --pictures makes the pictures of the walkthrough again. --apart begins every step in a window, a
# folder and a session of its own, as the step behind one that failed does; it takes five minutes.
#
# What it needs is fetched into .e2e of the repository, or $AHP_E2E_DIR; the pictures of each step
# and the logs are in its folder artefacts/vscode afterwards. Exit code 3: this machine cannot run
# it (there is no npm, or no Chromium and no way to install one); the reason has been said.
#
# $AHP_E2E_VSIX names an extension to test instead, and $AHP_E2E_SERVER a language server, which the
# setting ahp.server.path then names.
set -euo pipefail
extension=$(cd "$(dirname "$0")/.." && pwd)
root=$(cd "$extension/../.." && pwd)
tools=${AHP_E2E_DIR:-$root/.e2e}
case $tools in /*) ;; *) tools=$root/$tools ;; esac

pictures="" apart=""
case ${1-} in
  "") ;;
  --apart) apart=yes ;;
  --pictures) pictures=$extension/media/walkthrough ;;
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 1 ;;
esac

say() { echo "vscode e2e: $*" >&2; }

"$root/editors/e2e/get-host.sh" "$tools/host" || exit $?

"$extension/get-packages.sh" || exit $?
chromium=$("$extension/e2e/get-chromium.sh") || exit $?
node=$tools/host/bin/node

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
vsix=${AHP_E2E_VSIX:-}
if [ -z "$vsix" ]; then
  # As users get it for one platform: the language server is inside.
  say "making the extension"
  vsix=$work/ahp.vsix
  case $(uname -m) in x86_64) target=linux-x64 ;; *) target=linux-arm64 ;; esac
  "$node" "$extension/scripts/package.mjs" --target "$target" --out "$vsix" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
fi

artefacts=$tools/artefacts/vscode
rm -rf "$artefacts"
mkdir -p "$artefacts"
export AHP_E2E_HOST=$tools/host AHP_E2E_HOST_SCRIPTS=$root/editors/e2e/host AHP_E2E_SERVER=${AHP_E2E_SERVER:-}
export AHP_E2E_VSIX=$vsix AHP_E2E_CHROMIUM=$chromium AHP_E2E_ARTEFACTS=$artefacts AHP_E2E_PICTURES=$pictures AHP_E2E_APART=$apart
"$node" --disable-warning=ExperimentalWarning --test --test-reporter=tap "$extension/e2e/story.test.ts" || {
  code=$?
  say "what the test saw is in $artefacts"
  exit $code
}
