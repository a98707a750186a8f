// Prints how long the tree of changes takes for many files.
//
//   npm run bench
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import esbuild from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const out = path.join(root, 'dist-test/tree.bench.mjs');
await esbuild.build({ absWorkingDir: root, bundle: true, platform: 'node', target: 'node20', format: 'esm', logLevel: 'warning', entryPoints: ['test/tree.bench.ts'], outfile: out });
await import(pathToFileURL(out).href);
