// Starts a real agent host, with a scripted model, and says where it is.
//
//   node start-host.mjs VSCODE DATA      VSCODE: the folder get-host.sh made; DATA: the host's state and logs
//
// Prints one line of JSON when it is ready: {"url":"ws://127.0.0.1:PORT","token":"…","logs":"…"}.
// It lives as long as its standard input is open, so that it ends with whoever started it, even
// if that one is killed.
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { startModel } from './model.mjs';

const [vscode, data] = process.argv.slice(2).map(argument => path.resolve(argument));
const home = path.join(data, 'home'), logs = path.join(data, 'logs');
fs.mkdirSync(home, { recursive: true });
fs.mkdirSync(logs, { recursive: true });

const token = randomUUID();
const model = await startModel({ log: path.join(logs, 'model.jsonl') });

const env = {
  ...process.env,
  // Nothing of the user's is read or written: no git identity, no credentials, no settings.
  HOME: home,
  XDG_CONFIG_HOME: path.join(home, '.config'), XDG_CACHE_HOME: path.join(home, '.cache'),
  XDG_DATA_HOME: path.join(home, '.local/share'), XDG_STATE_HOME: path.join(home, '.local/state'),
  COPILOT_HOME: path.join(home, '.copilot'),
  // Three places ask for the model: the runtime, its GitHub client, and the host.
  COPILOT_API_URL: model, COPILOT_DEBUG_GITHUB_API_URL: model, VSCODE_AGENT_HOST_CAPI_URL_OVERRIDE: model,
  VSCODE_AGENT_HOST_HOST: '127.0.0.1', VSCODE_AGENT_HOST_PORT: '0', VSCODE_AGENT_HOST_CONNECTION_TOKEN: token,
  VSCODE_ESM_ENTRYPOINT: 'vs/platform/agentHost/node/agentHostMain',
  // Without a message file every text of the host throws.
  VSCODE_NLS_CONFIG: JSON.stringify({ userLocale: 'en', osLocale: 'en', resolvedLanguage: 'en', locale: 'en', availableLanguages: {}, defaultMessagesFile: path.join(vscode, 'out/nls.messages.json') }),
};
delete env.GITHUB_TOKEN; // the runtime would use them instead of ours
delete env.GH_TOKEN;

// VS Code's server starts the host this way too. Being detached it leads a process group of its
// own: the runtime and the file watcher that it starts can be ended with it.
const host = fork(path.join(vscode, 'out/bootstrap-fork.js'),
  ['--type=agentHost', '--user-data-dir', data, '--logsPath', logs, '--telemetry-level', 'off', '--log', 'debug'],
  { env, execArgv: [], detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });

const output = fs.createWriteStream(path.join(logs, 'output.log'));
host.stderr.pipe(output);
readline.createInterface({ input: host.stdout }).on('line', line => {
  output.write(line + '\n');
  const listening = /listening on (\S+:\d+)/.exec(line);
  if (listening) console.log(JSON.stringify({ url: `ws://${listening[1]}`, token, logs }));
});

function stop(code) {
  try { process.kill(-host.pid, 'SIGKILL'); } catch { /* gone already */ }
  process.exit(code);
}
host.on('exit', (code, signal) => {
  console.error(`the agent host ended (${signal ?? code}); its output is in ${path.join(logs, 'output.log')}`);
  stop(1);
});
process.stdin.resume().on('end', () => stop(0)).on('error', () => stop(0));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(0));
