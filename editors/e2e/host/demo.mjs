// Makes a throw-away repository in which an agent has just worked, to try ahp-lsp on.
//
//   node demo.mjs URL TOKEN DIR
//
// The agent, whose model is scripted, changes two files and leaves three comments, in a session
// that stays on the host. It needs no package: Node 22 and newer have a WebSocket.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [url, token, directory] = process.argv.slice(2);
fs.mkdirSync(directory, { recursive: true });
const dir = fs.realpathSync(directory); // the host resolves links, and sessions are found by path
const at = name => path.join(dir, name), uri = name => pathToFileURL(at(name)).href;

const files = {
  'greet.go': `package main

import (
	"fmt"
	"os"
)

// greet says hello to one person.
func greet(name string) string {
	return "Hello " + name
}

// greetAll says hello to everybody, one line each.
func greetAll(names []string) {
	for i := 0; i < len(names); i++ {
		fmt.Println(greet(names[i]))
	}
}

func main() {
	greetAll(os.Args[1:])
}
`,
  'README.md': `# Greet

Says hello.

## Use

    go run . NAME

## Licence

None yet.
`,
};
for (const [name, text] of Object.entries(files)) fs.writeFileSync(at(name), text);
for (const args of [['init', '-q', '-b', 'main'], ['config', 'user.name', 'You'], ['config', 'user.email', 'you@example.invalid'],
  ['config', 'commit.gpgsign', 'false'], ['add', '-A'], ['commit', '-q', '-m', 'Say hello']]) {
  execFileSync('git', args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
}

const edit = (name, old_str, new_str) => ({ tool: 'edit', input: { path: at(name), old_str, new_str } });
const comment = (name, line, text) => ({ tool: 'addComment', input: {
  resourceUri: uri(name), text, range: { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 200 } } });
const steps = [
  edit('greet.go', '	return "Hello " + name', '	if name == "" {\n\t\tname = "stranger"\n\t}\n\treturn fmt.Sprintf("Hello, %s!", name)'),
  edit('greet.go', 'for i := 0; i < len(names); i++ {\n\t\tfmt.Println(greet(names[i]))', 'for _, name := range names {\n\t\tfmt.Println(greet(name))'),
  edit('README.md', 'Says hello.\n', 'Says hello to everybody who is named, and to strangers.\n'),
  edit('README.md', '    go run . NAME\n', '    go run . NAME…\n'),
  comment('greet.go', 11, 'Is **stranger** the right word, or should an empty name be an error?'),
  comment('greet.go', 17, 'I used a range loop; `slices.Values` would do too.'),
  comment('README.md', 11, 'Which licence do you want? I did not dare to choose.'),
  { text: 'The greeting is friendlier now. I left three questions in the files.' },
];

const socket = new WebSocket(`${url}/?tkn=${encodeURIComponent(token)}`);
const answers = new Map(), waiting = [];
socket.onmessage = ({ data }) => {
  const message = JSON.parse(data);
  if (message.method) waiting.forEach(look => look(message.params?.action ?? {}));
  else answers.get(message.id)(message);
};
socket.onerror = () => { throw new Error(`cannot connect to ${url}`); };
await new Promise(resolve => { socket.onopen = resolve; });
const send = message => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
const request = (method, params) => new Promise((resolve, reject) => {
  const id = answers.size + 1;
  answers.set(id, ({ result, error }) => error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result));
  send({ id, method, params });
});

const channel = 'ahp-root://', session = `ahp-session:/${randomUUID()}`;
await request('initialize', { channel, protocolVersions: ['0.9.0'], clientId: randomUUID() });
await request('authenticate', { channel, resource: 'https://api.github.com', token: 'scripted' });
await request('createSession', { channel: session, provider: 'copilotcli', workingDirectories: [pathToFileURL(dir).href],
  config: { isolation: 'folder', autoApprove: 'autoApprove' } });
const { defaultChat: chat } = (await request('subscribe', { channel: session })).snapshot.state;
await request('subscribe', { channel: chat });
const end = new Promise(resolve => waiting.push(action => /^chat\/(turnComplete|turnCancelled|error)$/.test(action.type) && resolve(action)));
send({ method: 'dispatchAction', params: { channel: chat, clientSeq: 1, action: {
  type: 'chat/turnStarted', turnId: randomUUID(), startedAt: new Date().toISOString(),
  message: { text: `Make the greeting friendlier.\nSTEPS:${JSON.stringify(steps)}`, origin: { kind: 'user' } } } } });
const action = await end;
if (action.type !== 'chat/turnComplete') throw new Error(`the agent's turn failed: ${JSON.stringify(action)}`);
console.log(session);
socket.close();
