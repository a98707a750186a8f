import * as vscode from 'vscode';
import type { Hunks } from './hunks';
import { markedLines, markIcon, marks, type Mark } from './marks';

const colours = { dark: '#a371f7', light: '#8250df' }; // ahp.changeForeground: an icon cannot name it

/** Marks the agent's hunks in the gutters of the visible editors. */
export class Decorations implements vscode.Disposable {
  private readonly types = new Map<Mark, vscode.TextEditorDecorationType>();
  private readonly disposables: vscode.Disposable[] = [];

  constructor(private readonly hunks: Hunks) {
    for (const mark of marks) {
      this.types.set(mark, vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        gutterIconSize: 'cover',
        dark: { gutterIconPath: icon(mark, colours.dark) },
        light: { gutterIconPath: icon(mark, colours.light) },
        ...(mark === 'kept' ? {} : {
          overviewRulerColor: new vscode.ThemeColor('ahp.changeForeground'), overviewRulerLane: vscode.OverviewRulerLane.Left,
        }),
      }));
    }
    this.disposables.push(
      ...this.types.values(),
      hunks.onDidChange(uri => {
        for (const editor of vscode.window.visibleTextEditors) {
          if (editor.document.uri.toString() === uri.toString()) {
            this.show(editor);
          }
        }
      }),
      vscode.window.onDidChangeVisibleTextEditors(() => this.showAll()),
      vscode.workspace.onDidChangeConfiguration(event => {
        if (event.affectsConfiguration('ahp.hunkDecorations')) {
          this.showAll();
        }
      }),
    );
    this.showAll();
  }

  dispose(): void {
    vscode.Disposable.from(...this.disposables).dispose();
  }

  private showAll(): void {
    for (const editor of vscode.window.visibleTextEditors) {
      this.show(editor);
    }
  }

  private show(editor: vscode.TextEditor): void {
    const wanted = vscode.workspace.getConfiguration('ahp').get('hunkDecorations', true);
    for (const [mark, lines] of markedLines(wanted ? this.hunks.get(editor.document.uri) : null)) {
      const type = this.types.get(mark);
      if (type !== undefined) {
        editor.setDecorations(type, lines.map(({ first, last }) => new vscode.Range(first, 0, last, 0)));
      }
    }
  }
}

function icon(mark: Mark, colour: string): vscode.Uri {
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(markIcon(mark, colour)).toString('base64')}`, true);
}
