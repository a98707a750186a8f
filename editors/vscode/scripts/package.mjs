// Makes the .vsix.
//
//   npm run package                          without a language server: it is looked for on the PATH
//   npm run package -- --target linux-x64    with the server for one platform, which Go builds;
//                                            may be given several times, and makes a file for each
//   npm run package -- --out FILE            where to write it (one file only)
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// VS Code's targets, and what Node and Go call the same.
const targets = {
  'linux-x64': ['linux', 'amd64'], 'linux-arm64': ['linux', 'arm64'], 'linux-armhf': ['linux', 'arm'],
  'alpine-x64': ['linux', 'amd64'], 'alpine-arm64': ['linux', 'arm64'],
  'darwin-x64': ['darwin', 'amd64'], 'darwin-arm64': ['darwin', 'arm64'],
  'win32-x64': ['windows', 'amd64'], 'win32-arm64': ['windows', 'arm64'],
};

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const repository = path.dirname(path.dirname(root));
const { name, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
const { values } = parseArgs({ options: { target: { type: 'string', multiple: true }, out: { type: 'string' } } });
const wanted = values.target ?? [undefined];
if (values.out !== undefined && wanted.length > 1) {
  throw new Error('--out is for one target');
}

const bin = path.join(root, 'bin');
for (const target of wanted) {
  fs.rmSync(bin, { recursive: true, force: true });
  if (target !== undefined) {
    if (!(target in targets)) {
      throw new Error(`${target} is none of ${Object.keys(targets).join(', ')}`);
    }
    const [goos, goarch] = targets[target];
    // What Node's process.platform and process.arch say there: Alpine is Linux.
    const folder = target.replace('alpine', 'linux').replace('armhf', 'arm');
    const file = path.join(bin, folder, goos === 'windows' ? 'ahp-lsp.exe' : 'ahp-lsp');
    execFileSync('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', file, './cmd/ahp-lsp'], {
      cwd: repository, stdio: 'inherit', env: { ...process.env, CGO_ENABLED: '0', GOOS: goos, GOARCH: goarch },
    });
  }
  const out = path.resolve(values.out ?? path.join(root, `${name}-${target === undefined ? '' : `${target}-`}${version}.vsix`));
  execFileSync(process.execPath, [
    path.join(root, 'node_modules/@vscode/vsce/vsce'), 'package', '--no-dependencies', '--allow-missing-repository',
    '--out', out, ...(target === undefined ? [] : ['--target', target]),
  ], { cwd: root, stdio: 'inherit' });
}
fs.rmSync(bin, { recursive: true, force: true });
