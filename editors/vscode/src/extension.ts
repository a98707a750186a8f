import * as vscode from 'vscode';
import { Actions } from './changes/actions';
import { Before } from './changes/before';
import { Decorations } from './changes/decorations';
import { Hunks } from './changes/hunks';
import { ChangesView } from './changes/view';
import { Comments } from './comments/controller';
import { commentedFolders } from './comments/handover';
import { isInside } from './comments/model';
import { fromRange } from './convert';
import { Interceptor } from './intercept';
import { Server } from './server/client';
import { Status } from './status';

/** Settings that the server is started with, or whose change wants everything told again. */
const startSettings = ['ahp.server.path', 'ahp.server.args', 'ahp.token', 'ahp.pullDiagnostics', 'ahp.comments'];

let server: Server | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const { subscriptions } = context;
  const add = <T extends vscode.Disposable>(disposable: T): T => {
    subscriptions.push(disposable);
    return disposable;
  };
  const log = add(vscode.window.createOutputChannel('Agent Review', { log: true }));

  let comments: Comments | undefined;
  let interceptor: Interceptor | undefined;
  const running = server = add(new Server(context, log, {
    command: (command, argument, next) => interceptor?.run(command, argument, next) ?? next(argument),
  }));
  const hunks = add(new Hunks(running, log));
  const before = add(new Before(running, hunks));
  add(new Decorations(hunks));
  const view = add(new ChangesView(running, hunks, log));
  add(new Actions(running, hunks, before, view));
  const status = add(new Status(running, log));
  interceptor = new Interceptor(() => comments, uri => isInside(uri, folders), before, status);

  let folders: readonly string[] = [];
  const showComments = () => {
    const wanted = vscode.workspace.getConfiguration('ahp').get('comments', true);
    if (wanted && comments === undefined) {
      comments = new Comments(context.extensionUri, running, before, log);
      comments.setFolders(folders);
    } else if (!wanted) {
      comments?.dispose();
      comments = undefined;
    }
  };
  const setFolders = (now: readonly string[]) => {
    folders = now;
    comments?.setFolders(now);
  };
  add({ dispose: () => comments?.dispose() });
  add(running.onDidChangeState(state => {
    if (state === 'missing') {
      setFolders([]);
    }
  }));
  add(status.onDidChange(now => {
    setFolders(commentedFolders(folders, now).map(folder => vscode.Uri.parse(folder).toString()));
    comments?.setStatus(now);
    view.setSessions(now?.sessions ?? []);
  }));
  showComments();

  const start = async () => {
    if ((vscode.workspace.workspaceFolders?.length ?? 0) > 0) {
      status.reveal();
      await running.start();
    }
  };
  add(vscode.workspace.onDidChangeWorkspaceFolders(() => void start()));
  add(vscode.workspace.onDidChangeConfiguration(event => {
    if (event.affectsConfiguration('ahp.comments')) {
      showComments();
    }
    if (startSettings.some(setting => event.affectsConfiguration(setting)) && (vscode.workspace.workspaceFolders?.length ?? 0) > 0) {
      void running.restart();
    }
  }));
  add(vscode.commands.registerCommand('ahp.server.restart', () => running.restart()));
  add(vscode.commands.registerCommand('ahp.output.show', () => log.show()));
  add(vscode.commands.registerCommand('ahp.walkthrough.open', async () => {
    await vscode.commands.executeCommand('workbench.action.openWalkthrough', `${context.extension.id}#review`, false);
    status.watched();
  }));
  const comment = async (range: (editor: vscode.TextEditor) => object) => {
    const editor = vscode.window.activeTextEditor;
    if (editor !== undefined) {
      await vscode.commands.executeCommand('ahp.annotation.create', { uri: editor.document.uri.toString(), ...range(editor) });
    }
  };
  add(vscode.commands.registerCommand('ahp.comment.add', () => comment(({ selection }) => ({ range: fromRange(selection) }))));
  add(vscode.commands.registerCommand('ahp.comment.addToFile', () => comment(() => ({}))));
  void start();
}

/** Waits for the server, which takes its leave of the host. */
export async function deactivate(): Promise<void> {
  await server?.stop();
}
