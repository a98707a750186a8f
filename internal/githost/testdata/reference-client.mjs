// Runs the client of VS Code, unmodified, against a host: the class that its window connects to
// remote agent hosts with, its reconnecting and its reducers included.
//
//   node reference-client.mjs VSCODE URL SCRATCH      VSCODE: the folder that get-host.sh made
//
// Reads one JSON object a line from its standard input and answers each with one that has the
// same id, {"id", "result"} or {"id", "error"}. Without being asked it prints {"channel", "state"}
// whenever the state of a channel it is subscribed to is another one, and {"connection"} whenever
// that is. It ends with its standard input.
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const [vscode, url, scratch] = process.argv.slice(2);
const print = value => process.stdout.write(JSON.stringify(value) + '\n');
console.log = console.info = console.debug = console.error;
// Taken before anything is made up.
const { WebSocket: Socket } = globalThis;
const waiting = [];
let take = line => waiting.push(line);
readline.createInterface({ input: process.stdin }).on('line', line => take(line)).on('close', () => process.exit(0));

// The client comes in the bundle of the whole window, which wants a browser. All it does while it
// is loaded is to ask about one: something that answers every question with itself is enough.
const anything = () => {
  const known = new Map();
  return new Proxy(function () { }, {
    get(target, key) {
      switch (key) {
        case Symbol.toPrimitive: return hint => hint === 'number' ? 0 : '';
        case Symbol.iterator: return function* () { };
        case 'then': return undefined;
        case 'activeElement': case 'shadowRoot': case 'parentNode': case 'parentElement': case 'offsetParent': case 'parent':
        case 'firstChild': case 'lastChild': case 'nextSibling': case 'previousSibling': return null; // loops end
        case 'length': return 0;
        case 'toString': return () => '';
        case 'prototype': return target.prototype;
      }
      if (!known.has(key)) known.set(key, anything());
      return known.get(key);
    },
    set(_, key, value) { known.set(key, value); return true; },
    apply: anything,
    construct: anything,
  });
};
const define = (name, value) => Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
for (const name of ['document', 'HTMLElement', 'Element', 'Node', 'ShadowRoot', 'CSSStyleSheet', 'MutationObserver',
  'ResizeObserver', 'IntersectionObserver', 'FileReader', 'Image', 'XMLHttpRequest', 'localStorage', 'sessionStorage',
  'indexedDB', 'screen', 'history', 'CSS', 'getComputedStyle', 'matchMedia', 'requestAnimationFrame',
  'cancelAnimationFrame', 'customElements', 'HTMLInputElement', 'HTMLCanvasElement', 'DOMParser', 'KeyboardEvent',
  'MouseEvent', 'UIEvent', 'trustedTypes', 'Worker', 'visualViewport', 'requestIdleCallback', 'cancelIdleCallback',
  'addEventListener', 'removeEventListener', 'postMessage']) {
  define(name, anything());
}
define('window', globalThis);
define('self', globalThis);
define('location', { href: 'http://localhost/', search: '', hash: '', pathname: '/', protocol: 'http:', host: 'localhost', hostname: 'localhost', origin: 'http://localhost' });
const out = path.join(vscode, 'out');
globalThis._VSCODE_NLS_MESSAGES = JSON.parse(fs.readFileSync(path.join(out, 'nls.messages.json'), 'utf8'));
globalThis._VSCODE_FILE_ROOT = pathToFileURL(out).href + '/';

// The names in the bundle are short and change from version to version: the class is known by
// its messages, and the one for URIs by its use in it. What opens the window is cut off.
function find(text, pattern, what) {
  const found = pattern.exec(text);
  if (!found) throw new Error(`this VS Code has no ${what} where one was looked for (${pattern})`);
  return found;
}
const bundle = fs.readFileSync(path.join(out, 'vs/code/browser/workbench/workbench.js'), 'utf8');
const method = bundle.indexOf('async _reconnectOrInitialize(');
const start = bundle.lastIndexOf('=class extends ', method);
const clientName = find(bundle.slice(start - 40, start + 1), /([\w$]+)=$/, 'client')[1];
const uriName = find(bundle.slice(method), /session:([\w$]+)\.parse\(\w+\.resource\)/, 'class for URIs')[1];
const opening = bundle.lastIndexOf('(function(){', bundle.indexOf('"vscode-workbench-web-configuration"'));
if (method < 0 || opening < method) throw new Error('this VS Code is put together in another way');
const copy = path.join(scratch, 'client.mjs');
fs.writeFileSync(copy, bundle.slice(0, opening) + `export{${clientName} as Client,${uriName} as URI};`);
const { Client, URI } = await import(pathToFileURL(copy).href);

// A connection as the client wants it. The last one can be cut, as a network does.
let cut = () => { };
function transport() {
  const listeners = { message: new Set(), close: new Set() };
  const on = kind => listener => {
    listeners[kind].add(listener);
    return { dispose: () => listeners[kind].delete(listener) };
  };
  const fire = (kind, value) => [...listeners[kind]].forEach(listener => listener(value));
  let socket;
  return {
    onMessage: on('message'), onClose: on('close'),
    clientConnectionKind: undefined, transportKind: 'websocket',
    connect: () => new Promise((resolve, reject) => {
      socket = new Socket(url);
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error('cannot connect'));
      socket.onmessage = event => fire('message', JSON.parse(event.data));
      socket.onclose = () => fire('close');
      cut = () => socket.close();
    }),
    send: message => socket.send(JSON.stringify(message)),
    dispose: () => socket?.close(),
  };
}

// The parts of the window that the client asks about settings, trust and the like. None ever
// has anything new to say.
const service = (answers = {}) => new Proxy(answers, {
  get: (_, key) => key in answers ? answers[key] : String(key).startsWith('on') ? () => ({ dispose() { } }) : () => undefined,
});
const services = [
  service({ warn: (...all) => console.error('warning:', ...all), error: (...all) => console.error('error:', ...all) }), // its log
  service({ grantImplicitRead: () => ({ dispose() { } }) }), // files of this machine that the host may read
  service({ inspect: () => ({}) }), // settings
  service({ telemetryLevel: 0 }),
  service({ isWorkspaceTrustEnabled: () => false }),
  service({ isWorkspaceTrusted: () => true, getTrustedUris: () => [] }),
  service(),
];
const client = new Client('test', transport, {
  clientInfo: { name: 'reference client', version: '1' },
  reconnectPolicy: { autoRestore: true, initialDelayMs: 20, maxDelayMs: 200, maxAttempts: 100 },
}, ...services);
client.onDidChangeConnectionState(() => print({ connection: client.connectionState }));

// What the client calls the kinds of channels.
const kinds = { session: 1, chat: 2, changeset: 4, annotations: 5 };
const verbs = {
  async connect() {
    await client.connect();
    return client.initializeResult.get();
  },
  list: () => client.listSessions(),
  subscribe({ kind, channel }) {
    const { object } = client.getSubscription(kinds[kind], URI.parse(channel), 'test');
    const tell = () => print({ channel, state: object.value instanceof Error ? { failed: object.value.message } : object.value });
    object.onDidChange(tell);
    if (object.value !== undefined) tell();
  },
  dispatch: ({ channel, action }) => client.dispatch(channel, action),
  invoke: params => client.invokeChangesetOperation(params),
  read: ({ uri }) => client.resourceRead(URI.parse(uri), 'utf-8'),
  cut: () => cut(),
};
take = line => {
  const { id, verb, ...params } = JSON.parse(line);
  Promise.resolve().then(() => verbs[verb](params)).then(
    result => print({ id, result: result ?? null }),
    error => print({ id, error: String(error?.message ?? error) }));
};
waiting.forEach(take);
