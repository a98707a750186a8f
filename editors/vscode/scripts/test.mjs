// Checks the types and the code, and runs the unit tests.
//
//   node scripts/test.mjs [ARGUMENT FOR node --test …]
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** With the Node.js that runs this: the one on the PATH may be another, or too old. */
function node(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}

const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
node(tsc, '--noEmit', '-p', '.');
node(tsc, '--noEmit', '-p', 'e2e');
node(path.join(root, 'node_modules/eslint/bin/eslint.js'), '--max-warnings=0', '.');
node('scripts/build.mjs', '--tests');
const tests = fs.readdirSync(path.join(root, 'dist-test')).filter(name => name.endsWith('.test.mjs')).map(name => `dist-test/${name}`);
// The same report everywhere, with its summary: Node.js would choose one by its version and the terminal.
node('--test', '--test-reporter=tap', ...process.argv.slice(2), ...tests);
