/** Messages that use a beacon or a file. */
export interface MessageUses {
  /** Some of the notifications, by name. */
  readonly names: readonly string[];
  readonly notifications: number;
  readonly scenarios: number;
}

/** `2 notifications (Welcome, Bye) and 1 scenario`; undefined without any. */
export function messageUsesText({ names, notifications, scenarios }: MessageUses): string | undefined {
  if (notifications + scenarios === 0) return undefined;
  const more = notifications > names.length ? ` and ${notifications - names.length} more` : '';
  return [
    ...(notifications > 0 ? [`${countOf(notifications, 'notification')} (${names.join(', ')}${more})`] : []),
    ...(scenarios > 0 ? [countOf(scenarios, 'scenario')] : []),
  ].join(' and ');
}

/** `1 file`, `1,200 files` */
export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
