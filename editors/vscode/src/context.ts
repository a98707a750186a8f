import * as vscode from 'vscode';
import { background, logFailures } from './background';
import { Actions } from './changes/actions';
import { Before } from './changes/before';
import { Decorations } from './changes/decorations';
import { Hunks } from './changes/hunks';
import { ChangesView } from './changes/view';
import { Comments } from './comments/controller';
import { commentedFolders } from './comments/handover';
import { isInside } from './comments/model';
import { Interceptor } from './intercept';
import type { StatusView } from './protocol';
import { Server } from './server/client';
import { Status } from './status';

/** Settings that the server is started with, or whose change wants everything told again. */
const startSettings = ['ahp.server.path', 'ahp.server.args', 'ahp.token', 'ahp.pullDiagnostics', 'ahp.comments'];

/** The parts of the extension, and what they know of each other. */
export class Context implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel('Agent Review', { log: true });
  readonly server: Server;
  readonly status: Status;
  private readonly before: Before;
  private readonly view: ChangesView;
  private readonly interceptor: Interceptor;
  /** Undefined while comments are not shown as comment threads. */
  private comments: Comments | undefined;
  /** Where the followed sessions work. */
  private folders: readonly string[] = [];
  private readonly disposables: vscode.Disposable[];

  constructor(private readonly extension: vscode.ExtensionContext) {
    const { log } = this;
    logFailures(log);
    const server = this.server = new Server(extension, log, { command: (command, argument, next) => this.interceptor.run(command, argument, next) });
    const hunks = new Hunks(server, log);
    this.before = new Before(server, hunks);
    this.view = new ChangesView(server, hunks, log);
    this.status = new Status(server, log);
    this.interceptor = new Interceptor(() => this.comments, uri => isInside(uri, this.folders), this.before, this.status);
    this.disposables = [
      log, server, hunks, this.before, new Decorations(hunks), this.view, new Actions(server, hunks, this.before, this.view), this.status,
      this.status.onDidChange(now => this.follow(now)),
      server.onDidChangeState(state => {
        if (state === 'missing') {
          this.setFolders([]);
        }
      }),
      vscode.workspace.onDidChangeWorkspaceFolders(() => background(this.start())),
      vscode.workspace.onDidChangeConfiguration(event => this.configured(event)),
    ];
    this.showComments();
  }

  dispose(): void {
    this.comments?.dispose();
    vscode.Disposable.from(...this.disposables).dispose();
  }

  /** Starts the server, if there is a folder for it to work in. */
  async start(): Promise<void> {
    if (hasFolder()) {
      this.status.reveal();
      await this.server.start();
    }
  }

  private follow(now: StatusView | undefined): void {
    this.setFolders(commentedFolders(this.folders, now).map(folder => vscode.Uri.parse(folder).toString()));
    this.comments?.setStatus(now);
    this.view.setSessions(now?.sessions ?? []);
  }

  private setFolders(folders: readonly string[]): void {
    this.folders = folders;
    this.comments?.setFolders(folders);
  }

  private configured(event: vscode.ConfigurationChangeEvent): void {
    if (event.affectsConfiguration('ahp.comments')) {
      this.showComments();
    }
    if (startSettings.some(setting => event.affectsConfiguration(setting)) && hasFolder()) {
      background(this.server.restart());
    }
  }

  private showComments(): void {
    const wanted = vscode.workspace.getConfiguration('ahp').get('comments', true);
    if (wanted && this.comments === undefined) {
      this.comments = new Comments(this.extension.extensionUri, this.server, this.before, this.log);
      this.comments.setFolders(this.folders);
    } else if (!wanted) {
      this.comments?.dispose();
      this.comments = undefined;
    }
  }
}

function hasFolder(): boolean {
  return (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
}
