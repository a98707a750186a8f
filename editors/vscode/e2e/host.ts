// The real agent host, whose agent's model is scripted, and a second client of it: what the editor
// did must have reached the host, and what the host says must reach the editor.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import readline from 'node:readline';
import { pathToFileURL } from 'node:url';

const patience = 90_000;

export class Host {
  readonly url: string;
  readonly token: string;
  private readonly process: ChildProcess;

  private constructor(process: ChildProcess, url: string, token: string) {
    this.process = process;
    this.url = url;
    this.token = token;
  }

  /** scripts: where start-host.mjs is; tools: the folder that get-host.sh made. */
  static async start(scripts: string, tools: string, data: string): Promise<Host> {
    const child = spawn(path.join(tools, 'bin/node'), [path.join(scripts, 'start-host.mjs'), path.join(tools, 'vscode'), data], { stdio: ['pipe', 'pipe', 'inherit'] });
    for await (const line of readline.createInterface({ input: child.stdout })) {
      const { url, token } = JSON.parse(line) as { url: string; token: string };
      return new Host(child, url, token);
    }
    throw new Error('the agent host did not start');
  }

  stop(): Promise<unknown> {
    const ended = new Promise(resolve => this.process.once('exit', resolve));
    this.process.stdin?.end();
    return ended;
  }
}

export interface Step { tool?: string; input?: object; text?: string }

export interface Annotation {
  id: string;
  resource: string;
  range?: { start: { line: number; character: number }; end: { line: number; character: number } };
  resolved: boolean;
  entries: { id: string; text: string | { markdown: string } }[];
  _meta?: { 'vscode.agentFeedback'?: { state: string } };
}

export interface Changeset {
  status: string;
  files: { id: string; reviewed?: boolean; edit: { before?: { uri: string }; after?: { uri: string } } }[];
  operations?: { id: string; status: string }[];
}

/** A comment as the agent's own tool lists it; lines and columns count from 1. */
export interface AgentComment {
  resourceUri: string;
  range: { startLineNumber: number; startColumn: number; endLineNumber: number; endColumn: number };
  text: string;
  resolved: boolean;
  replies?: { text: string }[];
}

interface Message { id?: number; method?: string; result?: unknown; error?: { message: string }; params?: { channel: string; action?: Action } }
interface Action { type: string; turnId?: string; result?: { success: boolean; content?: { text?: string }[] } }

/** A session of the host in one folder, seen by a client of its own. */
export class Session {
  readonly folder: string;
  readonly uri = `ahp-session:/${randomUUID()}`;
  private readonly socket: WebSocket;
  private readonly answers = new Map<number, (message: Message) => void>();
  private readonly listeners = new Set<(channel: string, action: Action) => void>();
  private chat = '';
  private sequence = 0;

  private constructor(socket: WebSocket, folder: string) {
    this.socket = socket;
    this.folder = folder;
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(data as string) as Message;
      if (message.method === undefined) {
        this.answers.get(message.id ?? 0)?.(message);
      } else if (message.params?.action !== undefined) {
        for (const listener of this.listeners) {
          listener(message.params.channel, message.params.action);
        }
      }
    };
  }

  static async create(host: Host, folder: string): Promise<Session> {
    const socket = new WebSocket(`${host.url}/?tkn=${encodeURIComponent(host.token)}`);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error(`cannot connect to ${host.url}`));
    });
    const session = new Session(socket, folder);
    const channel = 'ahp-root://';
    await session.request('initialize', { channel, protocolVersions: ['0.9.0'], clientId: randomUUID() });
    await session.request('authenticate', { channel, resource: 'https://api.github.com', token: 'scripted' });
    await session.request('createSession', {
      channel: session.uri, provider: 'copilotcli', workingDirectories: [pathToFileURL(folder).href],
      config: { isolation: 'folder', autoApprove: 'autoApprove' },
    });
    session.chat = (await session.state<{ defaultChat: string }>(session.uri)).defaultChat;
    await session.state(session.chat);
    return session;
  }

  close(): void {
    this.socket.close();
  }

  fileUri(name: string): string {
    return pathToFileURL(path.join(this.folder, name)).href;
  }

  edit(name: string, old_str: string, new_str: string): Step {
    return { tool: 'edit', input: { path: path.join(this.folder, name), old_str, new_str } };
  }

  /** A comment of the agent's on a line, counted from 1. */
  comment(name: string, line: number, text: string): Step {
    return { tool: 'addComment', input: { resourceUri: this.fileUri(name), text, range: { startLineNumber: line, startColumn: 1, endLineNumber: line, endColumn: 200 } } };
  }

  /** Lets the agent work: its model plays the steps. Answers with what its tools said. */
  async turn(prompt: string, ...steps: Step[]): Promise<string[]> {
    const turnId = randomUUID(), results: string[] = [];
    const end = new Promise<Action>((resolve, reject) => {
      const listener = (channel: string, action: Action) => {
        if (channel !== this.chat) {
          return;
        }
        if (action.type === 'chat/toolCallComplete') {
          results.push((action.result?.content ?? []).map(part => part.text ?? '').join(''));
          if (action.result?.success !== true) {
            reject(new Error(`a tool of the agent failed: ${JSON.stringify(action)}`));
          }
        } else if (/^chat\/(turnComplete|turnCancelled|error)$/.test(action.type)) {
          this.listeners.delete(listener);
          resolve(action);
        }
      };
      this.listeners.add(listener);
    });
    this.send({
      method: 'dispatchAction', params: { channel: this.chat, clientSeq: ++this.sequence, action: {
        type: 'chat/turnStarted', turnId, startedAt: new Date().toISOString(),
        message: { text: `${prompt}\nSTEPS:${JSON.stringify(steps)}`, origin: { kind: 'user' } },
      } },
    });
    const action = await end;
    if (action.type !== 'chat/turnComplete') {
      throw new Error(`the agent's turn failed: ${JSON.stringify(action)}`);
    }
    return results;
  }

  async agentSees(): Promise<AgentComment[]> {
    const [text = '{}'] = await this.turn('Which comments are there?', { tool: 'listComments', input: {} });
    return (JSON.parse(text) as { comments: AgentComment[] }).comments;
  }

  /** Waits until the host has a comment that fits. */
  async annotation(what: string, fits: (annotation: Annotation) => boolean): Promise<Annotation> {
    const state = await this.waitFor<{ annotations: Annotation[] }>(`${this.uri}/annotations`, what, ({ annotations }) => annotations.some(fits));
    return state.annotations.find(fits)!;
  }

  /** Removes a comment, as another client would. */
  async removeAnnotation(id: string): Promise<void> {
    this.annotate({ type: 'annotations/removed', annotationId: id });
    await this.waitFor<{ annotations: Annotation[] }>(`${this.uri}/annotations`, 'the comment to go', ({ annotations }) => !annotations.some(annotation => annotation.id === id));
  }

  /** Changes the comments, as another client would. */
  annotate(action: object): void {
    this.send({ method: 'dispatchAction', params: { channel: `${this.uri}/annotations`, clientSeq: ++this.sequence, action } });
  }

  changeset(kind: string, what: string, fits: (changeset: Changeset) => boolean): Promise<Changeset> {
    return this.waitFor<Changeset>(`${this.uri}/changeset/${kind}`, what, state => state.status === 'ready' && fits(state));
  }

  /** Looks at a channel's state again whenever something happens on it. */
  private async waitFor<T>(channel: string, what: string, fits: (state: T) => boolean): Promise<T> {
    const deadline = Date.now() + patience;
    let wake = () => {};
    let news = Promise.resolve();
    const rearm = () => { news = new Promise(resolve => { wake = resolve; }); };
    rearm();
    const listener = (of: string) => { if (of === channel) { wake(); } };
    this.listeners.add(listener);
    const timer = setTimeout(() => wake(), patience);
    try {
      for (;;) {
        const state = await this.state<T>(channel);
        if (fits(state)) {
          return state;
        }
        if (Date.now() >= deadline) {
          throw new Error(`waited for ${what} on the host, which has ${JSON.stringify(state)}`);
        }
        await news;
        rearm();
      }
    } finally {
      clearTimeout(timer);
      this.listeners.delete(listener);
    }
  }

  private async state<T>(channel: string): Promise<T> {
    return (await this.request('subscribe', { channel }) as { snapshot: { state: T } }).snapshot.state;
  }

  private request(method: string, params: object): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.answers.size + 1;
      this.answers.set(id, ({ result, error }) => error === undefined ? resolve(result) : reject(new Error(`${method}: ${error.message}`)));
      this.send({ id, method, params });
    });
  }

  private send(message: object): void {
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

export function textOf(entry: Annotation['entries'][number] | undefined): string {
  return entry === undefined ? '' : typeof entry.text === 'string' ? entry.text : entry.text.markdown;
}

/** Makes a git repository with these files in it, all committed. */
export function makeRepository(folder: string, files: Record<string, string>): string {
  fs.mkdirSync(folder, { recursive: true });
  const dir = fs.realpathSync(folder); // the host resolves links, and sessions are found by path
  for (const [name, text] of Object.entries(files)) {
    fs.writeFileSync(path.join(dir, name), text);
  }
  // The identity is the repository's own: the host, which commits too, has no other.
  for (const args of [['init', '-q', '-b', 'main'], ['config', 'user.name', 'You'], ['config', 'user.email', 'you@example.invalid'],
    ['config', 'commit.gpgsign', 'false'], ['config', 'core.autocrlf', 'false'], ['add', '-A'], ['commit', '-q', '-m', 'before the agent']]) {
    execFileSync('git', args, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return dir;
}
