// Bundles the extension into dist/extension.js, and with --tests the unit tests into dist-test/.
//
//   node scripts/build.mjs [--production | --watch | --tests]
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const production = process.argv.includes('--production');
const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node20', logLevel: 'warning' };

if (process.argv.includes('--tests')) {
  fs.rmSync(path.join(root, 'dist-test'), { recursive: true, force: true });
  await esbuild.build({
    ...common, format: 'esm', outdir: 'dist-test', outExtension: { '.js': '.mjs' }, sourcemap: 'inline',
    entryPoints: fs.readdirSync(path.join(root, 'test')).filter(name => name.endsWith('.test.ts')).map(name => `test/${name}`),
  });
} else {
  const options = {
    ...common, format: 'cjs', external: ['vscode'], entryPoints: { extension: 'src/extension.ts' }, outdir: 'dist',
    minify: production, sourcemap: production ? false : 'linked',
    mainFields: ['module', 'main'],
  };
  if (process.argv.includes('--watch')) {
    await (await esbuild.context({ ...options, logLevel: 'info' })).watch();
  } else {
    fs.rmSync(path.join(root, 'dist'), { recursive: true, force: true });
    await esbuild.build(options);
  }
}
