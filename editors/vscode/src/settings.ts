/** The members of the section "ahp" that concern this extension, or that reach the server in another way. */
const ours = new Set(['server', 'trace', 'comments', 'hunkDecorations', 'token']);

/**
 * The section as the server reads it, out of the values in force. Empty texts are left out: they
 * would not mean anything to the server, and hide what its environment says. null is a default of
 * this editor's own, which depends on whether comments are shown as comment threads.
 */
export function serverSettings(section: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const threads = section['comments'] !== false;
  const out: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(section)) {
    if (!ours.has(key) && value !== null && value !== undefined && value !== '') {
      out[key] = value;
    }
  }
  out['diagnostics'] ??= !threads;
  out['showResolved'] ??= false;
  return out;
}

/** Whether resolved comments are comment threads too. */
export function showsResolvedThreads(showResolved: boolean | null | undefined): boolean {
  return showResolved ?? true;
}
