/** What the extension's log has levels for. */
export type Level = 'error' | 'warn' | 'info' | 'debug';

const levels: Readonly<Record<string, Level>> = { CRITICAL: 'error', CRIT: 'error', ERROR: 'error', WARNING: 'warn', WARN: 'warn', NOTICE: 'info', NOTE: 'info', INFO: 'info', DEBUG: 'debug' };

/**
 * A line that the server writes to its standard error, without its own time: the log has one. What
 * is no line of its log is a fault that it ended with.
 */
export function logLine(line: string): { level: Level; text: string } {
  const plain = line.replaceAll(/\u001b\[[\d;]*m/g, '');
  const [, word = '', text = ''] = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d(?:\.\d+)?\s+([A-Z]+)\s+(.*)$/.exec(plain) ?? [];
  const level = levels[word];
  return level === undefined ? { level: 'error', text: plain } : { level, text };
}
