import * as path from 'node:path';

/** What finding the server depends on, so that tests can play it. */
export interface Surroundings {
  readonly platform: string;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The first folder of the workspace, for ${workspaceFolder}. */
  readonly workspaceFolder?: string | undefined;
  readonly extensionFolder: string;
  isExecutable(file: string): boolean;
}

export type Found =
  | { readonly path: string; readonly source: 'setting' | 'bundled' | 'path' }
  | { readonly path: undefined; readonly why: string };

/** Finds the server: the one that the setting names, the bundled one, the one on the PATH. */
export function findServer(setting: string, on: Surroundings): Found {
  const windows = on.platform === 'win32';
  const paths = windows ? path.win32 : path.posix;
  const name = windows ? 'ahp-lsp.exe' : 'ahp-lsp';

  if (setting.trim() !== '') {
    // A setting that is wrong is said to be wrong: another server must not step in for it.
    const wanted = expand(setting.trim(), on);
    const file = paths.isAbsolute(wanted) ? executable(wanted, on)
      : /[\\/]/.test(wanted) ? on.workspaceFolder === undefined ? undefined : executable(paths.join(on.workspaceFolder, wanted), on)
      : onPath(wanted, on);
    return file === undefined
      ? { path: undefined, why: `The setting ahp.server.path names ${wanted}, which does not exist or cannot be run.` }
      : { path: file, source: 'setting' };
  }

  const bundled = paths.join(on.extensionFolder, 'bin', `${on.platform}-${on.arch}`, name);
  if (on.isExecutable(bundled)) {
    return { path: bundled, source: 'bundled' };
  }
  const file = onPath('ahp-lsp', on);
  return file === undefined
    ? { path: undefined, why: 'The language server ahp-lsp is neither on the PATH nor named in the setting ahp.server.path.' }
    : { path: file, source: 'path' };
}

/** Replaces ~ and VS Code's variables. What is not known is left, so that the message shows it. */
function expand(setting: string, on: Surroundings): string {
  return setting
    .replace(/^~(?=$|[\\/])/, () => on.home)
    .replace(/\$\{(userHome|workspaceFolder|env:([^}]+))\}/g, (whole, variable: string, name?: string) => {
      switch (variable) {
        case 'userHome': return on.home;
        case 'workspaceFolder': return on.workspaceFolder ?? whole;
        default: return on.env[name ?? ''] ?? '';
      }
    });
}

function onPath(name: string, on: Surroundings): string | undefined {
  const windows = on.platform === 'win32';
  const paths = windows ? path.win32 : path.posix;
  // Windows spells the variable in its own way.
  const key = Object.keys(on.env).find(key => key.toUpperCase() === 'PATH') ?? 'PATH';
  for (const folder of (on.env[key] ?? '').split(windows ? ';' : ':')) {
    // A relative folder would mean another program in each workspace.
    const file = paths.isAbsolute(folder) ? executable(paths.join(folder, name), on) : undefined;
    if (file !== undefined) {
      return file;
    }
  }
  return undefined;
}

function executable(file: string, on: Surroundings): string | undefined {
  const names = on.platform === 'win32' && !/\.exe$/i.test(file) ? [`${file}.exe`, file] : [file];
  return names.find(name => on.isExecutable(name));
}
