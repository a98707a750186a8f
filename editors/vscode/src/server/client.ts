import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import * as readline from 'node:readline';
import type { Readable } from 'node:stream';
import * as vscode from 'vscode';
import {
  DidChangeConfigurationNotification, ErrorCodes, ExecuteCommandRequest, LanguageClient, LogMessageNotification, MessageType, ResponseError,
  RevealOutputChannelOn, ShowMessageNotification, ShowMessageRequest, State as ClientState, TransportKind,
  type LanguageClientOptions, type LogMessageParams, type Middleware, type ServerOptions, type ShowMessageParams,
} from 'vscode-languageclient/node';
import { notifications, requests, type ChangesetView, type CommandResult, type HunksView, type StatusView, type ThreadView } from '../protocol';
import { background } from '../background';
import { notice } from '../notice';
import { serverSettings } from '../settings';
import { findServer } from './find';
import { filterActions, filterLenses } from './filter';
import { logLine } from './log';
import { LongWork } from './progress';
import { Questions } from './questions';

/** What the rest of the extension answers for the language client. */
export interface Hooks {
  /** Runs a command of the server's that a lens, an action or a key calls. */
  command(command: string, argument: unknown, next: (argument: unknown) => Promise<unknown>): Promise<unknown>;
}

/** missing: no program was found; stopped: it ended, or was not started yet. */
export type ServerState = 'missing' | 'stopped' | 'starting' | 'running';

/** The language server: its process, its requests, and what it tells. */
export class Server implements vscode.Disposable {
  private readonly stateEmitter = new vscode.EventEmitter<ServerState>();
  readonly onDidChangeState = this.stateEmitter.event;
  private readonly threadsEmitter = new vscode.EventEmitter<vscode.Uri>();
  /** The comments or the hunks of a file are not what they were. */
  readonly onDidChangeThreads = this.threadsEmitter.event;
  private readonly changesetsEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeChangesets = this.changesetsEmitter.event;
  private readonly statusEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeStatus = this.statusEmitter.event;

  private readonly questions = new Questions();
  private readonly longWork = new LongWork((title, until) =>
    background(vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: `Agent Review: ${title}` }, () => until)));

  private client: LanguageClient | undefined;
  private current: ServerState = 'stopped';
  private changing: Promise<void> = Promise.resolve();
  private quiet = 0;
  private connected = false;
  private toldLost = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly hooks: Hooks,
  ) {}

  get state(): ServerState {
    return this.current;
  }

  /** Starts the server; does nothing while it runs. */
  start(): Promise<void> {
    return this.change(() => this.doStart());
  }

  restart(): Promise<void> {
    return this.change(async () => {
      await this.doStop();
      await this.doStart();
    });
  }

  stop(): Promise<void> {
    return this.change(() => this.doStop());
  }

  dispose(): void {
    for (const emitter of [this.stateEmitter, this.threadsEmitter, this.changesetsEmitter, this.statusEmitter]) {
      emitter.dispose();
    }
    this.longWork.clear();
  }

  threads(uri: vscode.Uri): Promise<ThreadView[]> {
    return this.request<ThreadView[]>(requests.threads, { uri: uri.toString() });
  }

  /** null: the file is not open, or nothing was changed in it. */
  hunks(uri: vscode.Uri): Promise<HunksView | null> {
    return this.request<HunksView | null>(requests.hunks, { uri: uri.toString() });
  }

  changesets(): Promise<ChangesetView[]> {
    return this.request<ChangesetView[]>(requests.changesets, {});
  }

  async status(): Promise<StatusView> {
    const status = await this.request<StatusView>(ExecuteCommandRequest.method, { command: 'ahp.status', arguments: [{}] });
    this.connected = status.state === 'connected';
    this.toldLost &&= !this.connected;
    return status;
  }

  /**
   * Runs a command of the server's. A refusal has been told to the user by the server; anything
   * else that goes wrong is shown here. Either way the answer is not ok.
   */
  async execute<T extends CommandResult>(command: string, argument: unknown): Promise<T | (CommandResult & { ok: false })> {
    try {
      return await this.request<T>(ExecuteCommandRequest.method, { command, arguments: [argument] });
    } catch (error) {
      const reason = error instanceof ResponseError && error.code === ErrorCodes.PendingResponseRejected
        ? 'The language server stopped before it answered. Try again.'
        : error instanceof Error ? error.message : String(error);
      this.log.error(`${command}: ${reason}`);
      background(vscode.window.showErrorMessage(`Agent Review: ${reason}`));
      return { ok: false, reason };
    }
  }

  /** Runs a command whose document is not to be opened: only the answer is wanted. */
  async executeQuietly<T extends CommandResult>(command: string, argument: unknown): Promise<T | (CommandResult & { ok: false })> {
    this.quiet++;
    try {
      return await this.execute<T>(command, argument);
    } finally {
      this.quiet--;
    }
  }

  /** Runs a command which asks a question that has this answer, and is given it. What else it asks, the user is asked. */
  executeAnswering(command: string, argument: unknown, answer: string): Promise<CommandResult> {
    return this.questions.answering(answer, () => this.execute(command, argument));
  }

  private async request<T>(method: string, params: unknown): Promise<T> {
    if (this.client === undefined || this.current !== 'running') {
      throw new Error('The language server ahp-lsp is not running.');
    }
    return await this.client.sendRequest<T>(method, params);
  }

  /** Starts and stops happen one after the other. */
  private change(step: () => Promise<void>): Promise<void> {
    this.changing = this.changing.then(step, step);
    return this.changing;
  }

  private setState(state: ServerState): void {
    if (this.current !== state) {
      this.current = state;
      this.connected &&= state === 'running';
      if (state !== 'running') {
        this.longWork.clear();
      }
      this.stateEmitter.fire(state);
    }
  }

  private async doStart(): Promise<void> {
    if (this.client !== undefined) {
      return;
    }
    const configuration = vscode.workspace.getConfiguration('ahp');
    const found = findServer(configuration.get<string>('server.path', ''), {
      platform: process.platform, arch: process.arch, env: process.env, home: os.homedir(),
      workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      extensionFolder: this.context.extensionPath, isExecutable,
    });
    if (found.path === undefined) {
      this.log.error(found.why);
      this.setState('missing');
      this.tellMissing(found.why);
      return;
    }
    this.log.info(`Starting ${found.path} (${found.source}).`);
    this.setState('starting');
    const client = this.newClient(found.path, configuration);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.client = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      this.setState('stopped');
      await client.dispose().catch(() => undefined);
      background(this.offer(vscode.window.showErrorMessage(`Agent Review: ${found.path} could not be started: ${reason}`, 'Show Log')));
    }
  }

  private async doStop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.setState('stopped');
    if (client !== undefined) {
      try {
        await client.dispose();
      } catch (error) {
        this.log.warn(`The language server did not stop as it should: ${String(error)}`);
      }
    }
  }

  private newClient(command: string, configuration: vscode.WorkspaceConfiguration): LanguageClient {
    // In the environment, where neither a trace of the conversation nor other users see it.
    const token = configuration.get<string>('token', '');
    const serverOptions: ServerOptions = {
      command, args: configuration.get<string[]>('server.args', []), transport: TransportKind.stdio,
      options: { env: { ...process.env, ...(token === '' ? {} : { AHP_TOKEN: token }) } },
    };
    const clientOptions: LanguageClientOptions = {
      documentSelector: [{ scheme: 'file' }],
      synchronize: { configurationSection: 'ahp' },
      initializationOptions: () => ({ ...this.settings(), notifications: true }),
      outputChannel: this.log,
      stdioOptions: { stdout: () => undefined, stderr: input => this.copyLog(input) },
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticCollectionName: 'ahp',
      middleware: this.middleware(),
    };
    const client = new LanguageClient('ahp', 'Agent Review', serverOptions, clientOptions);
    client.onDidChangeState(({ newState }) => {
      if (client === this.client) {
        this.setState(newState === ClientState.Running ? 'running' : newState === ClientState.Starting ? 'starting' : 'stopped');
      }
    });
    client.onNotification(notifications.threadsChanged, ({ uri }: { uri: string }) => this.threadsEmitter.fire(vscode.Uri.parse(uri, true)));
    client.onNotification(notifications.changesetsChanged, () => this.changesetsEmitter.fire());
    client.onNotification(notifications.statusChanged, () => this.statusEmitter.fire());
    client.onNotification(LogMessageNotification.type, params => this.logMessage(params));
    client.onNotification(ShowMessageNotification.type, params => this.showMessage(params));
    client.onRequest(ShowMessageRequest.type, params => this.questions.ask(params));
    return client;
  }

  private settings(): Record<string, unknown> {
    // A proxy of VS Code's, whose members JSON makes plain values of.
    const section = JSON.parse(JSON.stringify(vscode.workspace.getConfiguration().get('ahp') ?? {})) as Record<string, unknown>;
    return serverSettings(section);
  }

  private middleware(): Middleware {
    const threads = () => vscode.workspace.getConfiguration('ahp').get('comments', true);
    return {
      workspace: {
        configuration: (params, token, next) => {
          const other = params.items.some(item => item.section !== 'ahp');
          return other ? next(params, token) : params.items.map(() => this.settings());
        },
        // Not the section as it is: the token in it would be in a trace of the conversation.
        didChangeConfiguration: async () => {
          await this.client?.sendNotification(DidChangeConfigurationNotification.type, { settings: { ahp: this.settings() } });
        },
      },
      window: {
        showDocument: async (params, token, next) =>
          this.quiet > 0 && ofTheServers(params.uri) ? { success: true } : await next(params, token),
      },
      handleWorkDoneProgress: (token, params, next) => {
        this.longWork.report(token, params);
        next(token, params);
      },
      executeCommand: (command, args, next) =>
        this.hooks.command(command, args[0], async argument => (await next(command, argument === undefined ? [] : [argument])) as unknown),
      provideCodeLenses: async (document, token, next) => filterLenses(await next(document, token) ?? [], threads()),
      provideCodeActions: async (document, range, context, token, next) =>
        filterActions(await next(document, range, context, token) ?? [], context.triggerKind === vscode.CodeActionTriggerKind.Automatic),
    };
  }

  private copyLog(input: Readable): void {
    readline.createInterface({ input, crlfDelay: Infinity }).on('line', line => {
      const { level, text } = logLine(line);
      this.log[level](text);
    });
  }

  private logMessage({ type, message }: LogMessageParams): void {
    switch (type) {
      case MessageType.Error: this.log.error(message); break;
      case MessageType.Warning: this.log.warn(message); break;
      case MessageType.Debug: this.log.debug(message); break;
      default: this.log.info(message);
    }
  }

  private showMessage(params: ShowMessageParams): void {
    this.logMessage(params);
    const text = notice(params.message, vscode.workspace.textDocuments.some(document => document.isDirty));
    switch (params.type) {
      case MessageType.Error: background(vscode.window.showErrorMessage(text)); break;
      case MessageType.Warning:
        // Of each attempt to connect that fails, the status bar tells; of the first one, this does.
        if (!/; trying again$/.test(text) || !this.toldLost) {
          this.toldLost ||= /; trying again$/.test(text);
          background(vscode.window.showWarningMessage(text));
        }
        break;
      default: this.inform(text);
    }
  }

  /** That there is no host (yet) is said once ever; after that the status bar and the log say so. */
  private inform(text: string): void {
    const key = 'toldThatNotConnected';
    if (!this.connected && this.context.globalState.get<boolean>(key) === true) {
      return;
    }
    if (!this.connected) {
      background(this.context.globalState.update(key, true));
    }
    background(vscode.window.showInformationMessage(text));
  }

  private tellMissing(why: string): void {
    background(this.offer(vscode.window.showErrorMessage(
      `Agent Review: ${why} Install it (go install ./cmd/ahp-lsp in a clone of its repository) or set ahp.server.path.`, 'Open Settings', 'Try Again')));
  }

  private async offer(answer: Thenable<string | undefined>): Promise<void> {
    switch (await answer) {
      case 'Open Settings': await vscode.commands.executeCommand('workbench.action.openSettings', 'ahp.server.path'); break;
      case 'Try Again': await this.restart(); break;
      case 'Show Log': this.log.show(); break;
      default:
    }
  }
}

/** A text that the server shows in a file of its own: of before a change, or of when a comment was made. */
function ofTheServers(uri: string): boolean {
  return /^(before|then)-/.test(path.posix.basename(vscode.Uri.parse(uri, true).path));
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return fs.statSync(path.resolve(file)).isFile();
  } catch {
    return false;
  }
}
