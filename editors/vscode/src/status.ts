import * as vscode from 'vscode';
import { background } from './background';
import type { SessionView, StatusView } from './protocol';
import type { Server } from './server/client';
import { spokenStatus, statusText, type State } from './statusText';
import { Work } from './work';

/** The answer of the server's that opens its list of what hunks can be shown from. */
export const otherChanges = 'Show other changes…';

/** The state of the connection: in the status bar, in the contexts of menus, and for the other parts. */
export class Status implements vscode.Disposable {
  private readonly emitter = new vscode.EventEmitter<StatusView | undefined>();
  readonly onDidChange = this.emitter.event;
  private readonly item: vscode.StatusBarItem;
  private readonly refreshing: Work;
  private readonly disposables: vscode.Disposable;
  private current: StatusView | undefined;
  /** A walkthrough is completed only by contexts that change while it is open. */
  private isWatched = false;

  constructor(private readonly server: Server, log: vscode.LogOutputChannel) {
    this.item = vscode.window.createStatusBarItem('ahp.status', vscode.StatusBarAlignment.Left, 0);
    this.item.name = 'Agent Review';
    this.item.command = 'ahp.status.show';
    this.refreshing = new Work(() => this.refresh(), error => log.warn(`The status could not be read: ${String(error)}`));
    this.disposables = vscode.Disposable.from(
      this.emitter, this.item, this.refreshing,
      server.onDidChangeStatus(() => this.refreshing.request('')),
      server.onDidChangeState(() => {
        this.set(undefined); // what the next server says is news, even if it is the same
        this.refreshing.request('');
      }),
      vscode.commands.registerCommand('ahp.status.show', () => this.menu()),
      vscode.commands.registerCommand('ahp.session.choose', () => this.chooseSession()),
      vscode.commands.registerCommand('ahp.changeset.choose', () => this.chooseChangeset()),
      vscode.commands.registerCommand('ahp.changeset.showOwn', () => this.server.execute('ahp.session.select', { baseline: '' })),
      vscode.commands.registerCommand('ahp.host.reconnect', () => this.server.execute('ahp.reconnect', {})),
    );
    this.show();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  get state(): State {
    return this.server.state === 'running' ? this.current?.state ?? 'starting' : this.server.state;
  }

  /** Shows the item; before that there is nothing to say: no folder is open. */
  reveal(): void {
    this.item.show();
  }

  /** Lets a walkthrough know that there is a connection, from now on. */
  watched(): void {
    this.isWatched = true;
    this.show();
  }

  private async refresh(): Promise<void> {
    try {
      this.set(this.server.state === 'running' ? await this.server.status() : undefined);
    } finally {
      this.show();
    }
  }

  private set(status: StatusView | undefined): void {
    if (JSON.stringify(status) !== JSON.stringify(this.current)) {
      this.current = status;
      this.emitter.fire(status);
    }
  }

  private show(): void {
    const { text, tooltip, warning } = statusText(this.state, this.current);
    this.item.text = text;
    this.item.tooltip = new vscode.MarkdownString(tooltip);
    this.item.backgroundColor = warning ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.item.accessibilityInformation = { label: spokenStatus(this.state, this.current), role: 'button' };
    const set = (key: string, value: unknown) => background(vscode.commands.executeCommand('setContext', key, value));
    set('ahp.state', this.state);
    set('ahp.running', this.server.state === 'running');
    if (this.isWatched && this.state === 'connected') {
      set('ahp.walkthroughConnected', true);
    }
  }

  /** What the status bar item offers. */
  private async menu(): Promise<void> {
    interface Choice extends vscode.QuickPickItem { run?(): unknown }
    const command = (label: string, id: string, ...args: unknown[]): Choice => ({ label, run: () => vscode.commands.executeCommand(id, ...args) });
    const status = this.current;
    const choices: Choice[] = [];
    for (const session of (status?.sessions ?? []).filter(session => session.followed)) {
      choices.push({ ...sessionItem(session), run: () => vscode.commands.executeCommand('ahp.changes.focus') });
    }
    if (choices.length > 0) {
      choices.unshift({ label: 'Sessions shown', kind: vscode.QuickPickItemKind.Separator });
    }
    choices.push({ label: 'Actions', kind: vscode.QuickPickItemKind.Separator });
    if (this.state === 'connected') {
      choices.push(command('$(list-selection) Choose Session to Review…', 'ahp.session.choose'));
      choices.push(command('$(eye) Choose Which Changes Are Shown as Hunks…', 'ahp.changeset.choose'));
      choices.push(command('$(comment-discussion) Open Comments Panel', 'workbench.action.focusCommentsPanel'));
    }
    if (this.server.state === 'running') {
      choices.push(command('$(plug) Reconnect to the Agent Host', 'ahp.host.reconnect'));
    }
    if ((vscode.workspace.workspaceFolders?.length ?? 0) > 0) {
      choices.push(command('$(debug-restart) Restart Language Server', 'ahp.server.restart'));
    }
    choices.push(command('$(gear) Open Settings', 'workbench.action.openSettings', 'ahp.'));
    choices.push(command('$(output) Show Log', 'ahp.output.show'));
    const chosen = await vscode.window.showQuickPick(choices, { title: 'Agent Review', placeHolder: placeHolder(this.state, status) });
    await chosen?.run?.();
  }

  /** Asks which session to follow. */
  async chooseSession(): Promise<void> {
    interface Choice extends vscode.QuickPickItem { session: string | undefined }
    const status = await this.server.status();
    const here = status.sessions.filter(session => !elsewhere(session));
    const others = status.sessions.filter(elsewhere);
    const choices: Choice[] = [
      { label: '$(folder) Newest of This Folder', session: '' },
      { label: '$(files) All of This Folder', session: 'all' },
    ];
    const section = (label: string, sessions: readonly SessionView[]) => {
      if (sessions.length > 0) {
        choices.push({ label, kind: vscode.QuickPickItemKind.Separator, session: '' });
        choices.push(...sessions.map(session => ({ ...sessionItem(session), session: session.uri })));
      }
    };
    section('Sessions of this folder', here);
    section('Sessions that work somewhere else', others);
    choices.push({ label: 'Hunks', kind: vscode.QuickPickItemKind.Separator, session: undefined });
    choices.push({ label: '$(eye) Choose Which Changes Are Shown as Hunks…', session: undefined });
    const chosen = await vscode.window.showQuickPick(choices, { title: 'Which agent session do you want to review?', matchOnDescription: true, matchOnDetail: true });
    if (chosen?.session !== undefined) {
      await this.server.execute('ahp.session.select', { session: chosen.session });
    } else if (chosen !== undefined) {
      await this.chooseChangeset();
    }
  }

  /** Asks what hunks are shown from. The server knows that, down to single turns, and asks itself. */
  private async chooseChangeset(): Promise<void> {
    await this.server.executeAnswering('ahp.session.select', {}, otherChanges);
  }
}

function placeHolder(state: State, status: StatusView | undefined): string {
  switch (state) {
    case 'connected': return `Connected to ${status?.host ?? 'the agent host'}`;
    case 'disconnected': return status?.error ?? 'The agent host cannot be reached';
    case 'searching': return 'No agent host was found yet';
    case 'missing': return 'The language server was not found';
    case 'stopped': return 'The language server is not running';
    default: return 'Starting';
  }
}

/** A session that works on other files than this workspace's: following it shows nothing here. */
function elsewhere(session: SessionView): boolean {
  return session.elsewhere ?? false;
}

function sessionItem(session: SessionView): vscode.QuickPickItem {
  return {
    label: `$(${session.followed ? 'eye' : 'comment-discussion'}) ${session.title || 'Session without a title'}`,
    description: session.followed ? 'shown' : session.reason ?? '',
    detail: (session.directories ?? []).map(folder => vscode.Uri.parse(folder).fsPath).join(', '),
  };
}
