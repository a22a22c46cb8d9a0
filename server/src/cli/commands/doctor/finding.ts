export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** What was found and, unless all is well, what to do. */
  readonly message: string;
}

/** A check that states its own name only once. */
export function finder(check: string) {
  const say =
    (state: Finding['state']) =>
    (message: string): Finding => ({ check, state, message });
  return { ok: say('ok'), warn: say('warn'), fail: say('fail') };
}
