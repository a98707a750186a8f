// The server half of VS Code: code-server, as a process group of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';

export interface Options {
  /** The folder that get-host.sh made. */
  tools: string;
  /** A fresh folder for everything that VS Code writes. */
  data: string;
  vsix: string;
  workspace: string;
  /** Of the extension: the settings of the machine that code-server runs on. */
  settings: object;
  artefacts: string;
  chromium: string;
}

const userSettings = {
  'files.hotExit': 'off', 'files.autoSave': 'off', 'workbench.startupEditor': 'none', 'telemetry.telemetryLevel': 'off',
  'security.workspace.trust.enabled': false, 'chat.disableAIFeatures': true, 'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoCheckUpdates': false, 'extensions.ignoreRecommendations': true, 'git.autoRepositoryDetection': false, 'git.openRepositoryInParentFolders': 'never',
  'editor.minimap.enabled': false, 'editor.fontFamily': 'DejaVu Sans Mono', 'editor.inlineSuggest.enabled': false, 'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  'editor.autoClosingBrackets': 'never', 'workbench.tips.enabled': false, 'workbench.reduceMotion': 'on', 'window.dialogStyle': 'custom', 'window.confirmBeforeClose': 'never',
  'workbench.colorTheme': 'Default Dark Modern', 'breadcrumbs.enabled': false, 'scm.diffDecorations': 'none',
};

export class CodeServer {
  readonly url: string;
  readonly output: fs.WriteStream;
  private readonly server: ChildProcess;
  private readonly userData: string;
  private readonly settings: object;

  private constructor(server: ChildProcess, url: string, output: fs.WriteStream, { data, settings }: Options) {
    this.server = server;
    this.url = url;
    this.output = output;
    this.userData = path.join(data, 'user');
    this.settings = settings;
  }

  static async start(options: Options): Promise<CodeServer> {
    const { data, tools } = options;
    for (const [of, values] of Object.entries({ User: userSettings, Machine: options.settings })) {
      fs.mkdirSync(path.join(data, 'user', of), { recursive: true });
      fs.writeFileSync(path.join(data, 'user', of, 'settings.json'), JSON.stringify(values, undefined, 2));
    }
    fs.writeFileSync(path.join(data, 'config.yaml'), '');

    const home = path.join(data, 'home');
    fs.mkdirSync(home, { recursive: true });
    const env = {
      ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, '.config'), XDG_DATA_HOME: path.join(home, '.local/share'), XDG_CACHE_HOME: path.join(home, '.cache'),
      // Nothing is looked up anywhere: a port on which nobody listens.
      EXTENSIONS_GALLERY: '{"serviceUrl":"http://127.0.0.1:9/"}', VSCODE_NLS_CONFIG: undefined, AHP_HOST: undefined, AHP_TOKEN: undefined,
    };
    const program = path.join(tools, 'bin/node'), entry = path.join(tools, 'node_modules/code-server/out/node/entry.js');
    const places = ['--user-data-dir', path.join(data, 'user'), '--extensions-dir', path.join(data, 'extensions'), '--config', path.join(data, 'config.yaml')];
    const output = fs.createWriteStream(path.join(options.artefacts, 'code-server.log'));

    const install = spawn(program, [entry, ...places, '--install-extension', options.vsix], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    install.stdout.pipe(output, { end: false });
    install.stderr.pipe(output, { end: false });
    const code = await new Promise(resolve => install.once('exit', resolve));
    if (code !== 0) {
      throw new Error(`the extension cannot be installed; see ${options.artefacts}/code-server.log`);
    }

    // A process group of its own: the extension host and the language server can be ended with it.
    const server = spawn(program, [entry, ...places, '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--disable-telemetry', '--disable-update-check',
      '--disable-workspace-trust', '--disable-getting-started-override', options.workspace], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    server.stderr.pipe(output, { end: false });
    const url = await new Promise<string>((resolve, reject) => {
      readline.createInterface({ input: server.stdout }).on('line', line => {
        output.write(`${line}\n`);
        const listening = /listening on (http:\S+?)\/?$/.exec(line);
        if (listening?.[1] !== undefined) {
          resolve(listening[1]);
        }
      });
      server.once('exit', code => reject(new Error(`code-server ended with ${code}`)));
    });
    return new CodeServer(server, url, output, options);
  }

  stop(): Promise<void> {
    return end(this.server);
  }

  /** The language server's process; the newest, where a window that was left has not ended yet. */
  languageServer(): number | undefined {
    const running: { pid: number; started: number }[] = [];
    for (const pid of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        const [, name, rest = ''] = /\((.*)\) (.*)/.exec(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
        const fields = rest.split(' '); // state, parent, group, …
        if (name === 'ahp-lsp' && fields[0] !== 'Z' && Number(fields[2]) === this.server.pid) {
          running.push({ pid: Number(pid), started: Number(fields[19]) });
        }
      } catch {
        // It has ended.
      }
    }
    return running.sort((a, b) => b.started - a.started)[0]?.pid;
  }

  /** What the extension has written to its log. */
  log(): string {
    const folder = path.join(this.userData, 'logs');
    const files = (fs.readdirSync(folder, { recursive: true }) as string[]).filter(name => path.basename(name) === 'Agent Review.log');
    return files.map(name => fs.readFileSync(path.join(folder, name), 'utf8')).join('');
  }

  /** Changes settings as a user would, in the file. */
  set(settings: object): void {
    const file = path.join(this.userData, 'Machine/settings.json');
    const old = JSON.parse(fs.readFileSync(file, 'utf8')) as object;
    fs.writeFileSync(file, JSON.stringify({ ...old, ...settings }, undefined, 2));
  }

  /** Makes the settings those of the beginning again. */
  resetSettings(): void {
    fs.writeFileSync(path.join(this.userData, 'Machine/settings.json'), JSON.stringify(this.settings, undefined, 2));
  }
}

/** Ends a process and those in its group. */
async function end(leader: ChildProcess): Promise<void> {
  const ended = new Promise(resolve => leader.once('exit', resolve));
  try {
    process.kill(-leader.pid!, 'SIGTERM');
  } catch {
    return; // gone already
  }
  const kill = setTimeout(() => process.kill(-leader.pid!, 'SIGKILL'), 3000);
  await ended;
  clearTimeout(kill);
}
