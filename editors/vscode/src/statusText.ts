import type { StatusView } from './protocol';
import { sessionInProgress } from './protocol';

/** The state of the connection, as menus and the status bar know it. */
export type State = 'missing' | 'stopped' | 'starting' | StatusView['state'];

export interface StatusText {
  /** With codicons. */
  readonly text: string;
  readonly tooltip: string;
  readonly warning: boolean;
}

const name = 'Agent';

/** What a screen reader says of the item: no icon has words. */
export function spokenStatus(state: State, status: StatusView | undefined): string {
  const parts = [`Agent Review: ${state === 'missing' ? 'language server not found' : state === 'stopped' ? 'language server not running' : state}`];
  if (state === 'connected') {
    const comments = status?.comments ?? 0;
    parts.push(comments === 0 ? 'no open comments' : openComments(comments));
    if (status?.working === true) {
      parts.push('the agent is working');
    }
  }
  return parts.join(', ');
}

function openComments(count: number): string {
  return count === 1 ? '1 open comment' : `${count} open comments`;
}

/** What the status bar says. The tooltip is Markdown. */
export function statusText(state: State, status: StatusView | undefined): StatusText {
  switch (state) {
    case 'missing':
      return { text: `$(warning) ${name}`, tooltip: 'The language server ahp-lsp was not found.', warning: true };
    case 'stopped':
      return { text: `$(debug-disconnect) ${name}`, tooltip: 'The language server ahp-lsp is not running.', warning: false };
    case 'starting':
      return { text: `$(hubot) ${name}`, tooltip: 'The language server ahp-lsp is starting.', warning: false };
    case 'searching':
      return { text: `$(circle-slash) ${name}`, tooltip: 'No agent host was found. It is used as soon as there is one.', warning: false };
    case 'connecting':
      return { text: `$(hubot) ${name}`, tooltip: `Connecting to ${escape(status?.host ?? 'the agent host')}.`, warning: false };
    case 'disconnected':
      return {
        text: `$(debug-disconnect) ${name}`, warning: true,
        tooltip: `The agent host cannot be reached; trying again.${status?.error === undefined ? '' : `\n\n${escape(status.error)}`}`,
      };
    case 'connected':
      return connected(status);
  }
}

function connected(status: StatusView | undefined): StatusText {
  const comments = status?.comments ?? 0;
  const followed = status?.sessions.filter(session => session.followed) ?? [];
  const lines = [`Connected to ${escape(status?.host ?? 'the agent host')}${status?.protocol === undefined ? '' : ` (Agent Host Protocol ${escape(status.protocol)})`}`];
  if (followed.length === 0) {
    lines.push('No agent session works in this folder.');
  }
  for (const session of followed.slice(0, 8)) {
    lines.push(`- ${escape(session.title || 'Session without a title')}${(session.status & sessionInProgress) !== 0 ? ' (working)' : ''}`);
  }
  if (comments > 0) {
    lines.push(openComments(comments));
  }
  const icon = status?.working === true ? '$(sync~spin)' : '$(hubot)';
  return { text: comments > 0 ? `${icon} ${name} $(comment) ${comments}` : `${icon} ${name}`, tooltip: lines.join('\n\n').replaceAll('\n\n- ', '\n- '), warning: false };
}

function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]<>()#+\-.!|$~]/g, '\\$&').replaceAll('\n', ' ');
}
