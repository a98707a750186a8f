#!/bin/bash
# Runs the extension in VS Code itself (code-server in a headless Chromium), with the language
# server of this repository, against a real agent host. About a minute, after the first time.
#
#   editors/vscode/e2e/run.sh [--pictures]
#
# With --pictures the pictures of the walkthrough are made anew.
#
# What it needs is fetched into .e2e of the repository, or $AHP_E2E_DIR; the pictures of each step
# and the logs are in its folder artefacts/vscode afterwards. Exit code 3: this machine cannot run
# it (there is no npm, or no Chromium and no way to install one); the reason has been said.
#
# $AHP_E2E_SERVER and $AHP_E2E_VSIX name a language server and an extension to test instead.
set -euo pipefail
extension=$(cd "$(dirname "$0")/.." && pwd)
root=$(cd "$extension/../.." && pwd)
tools=${AHP_E2E_DIR:-$root/.e2e}
case $tools in /*) ;; *) tools=$root/$tools ;; esac

pictures=""
case ${1-} in
  "") ;;
  --pictures) pictures=$extension/media/walkthrough ;;
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 1 ;;
esac

say() { echo "vscode e2e: $*" >&2; }

"$root/editors/e2e/get-host.sh" "$tools/host" || exit $?

chromium=""
for name in ${AHP_E2E_CHROMIUM:-chromium chromium-browser google-chrome}; do
  chromium=$(command -v "$name") && break
done
if [ -z "$chromium" ]; then
  { command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; } || { say "Chromium is missing: please install it, then run this again"; exit 3; }
  say "installing Chromium"
  { apt-get update -q && apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core; } >/dev/null || { say "Chromium cannot be installed"; exit 3; }
  chromium=$(command -v chromium)
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ ! -d "$extension/node_modules/playwright-core" ]; then
  say "fetching the extension's packages"
  (cd "$extension" && npm ci --ignore-scripts --no-audit --no-fund) > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
fi
server=${AHP_E2E_SERVER:-}
if [ -z "$server" ]; then
  server=$work/ahp-lsp
  (cd "$root" && go build -o "$server" ./cmd/ahp-lsp)
fi
vsix=${AHP_E2E_VSIX:-}
if [ -z "$vsix" ]; then
  vsix=$work/ahp.vsix
  (cd "$extension" && npm run -s package -- --out "$vsix") > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
fi

artefacts=$tools/artefacts/vscode
rm -rf "$artefacts"
mkdir -p "$artefacts"
export AHP_E2E_HOST=$tools/host AHP_E2E_HOST_SCRIPTS=$root/editors/e2e/host AHP_E2E_SERVER=$server
export AHP_E2E_VSIX=$vsix AHP_E2E_CHROMIUM=$chromium AHP_E2E_ARTEFACTS=$artefacts AHP_E2E_PICTURES=$pictures
"$tools/host/bin/node" --disable-warning=ExperimentalWarning --test --test-reporter=spec "$extension/e2e/story.test.ts" || {
  code=$?
  say "what the test saw is in $artefacts"
  exit $code
}
