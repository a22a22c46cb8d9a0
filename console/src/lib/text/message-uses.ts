import { listed, t } from '../words/words.ts';
export interface MessageUses {
  /** Some of the notifications, by name. */
  readonly names: readonly string[];
  readonly notifications: number;
  readonly scenarios: number;
}

/** `2 notifications (Welcome, Bye) and 1 scenario`; undefined without any. */
export function messageUsesText({ names, notifications, scenarios }: MessageUses): string | undefined {
  if (notifications + scenarios === 0) return undefined;
  const ofNotifications = t(
    '{notifications, plural, one {# message} other {# messages}} ({names}{more, plural, =0 {} other { and # more}})',
    { notifications, names: names.join(', '), more: notifications - names.length },
  );
  const ofScenarios = t('{scenarios, plural, one {# message of a series} other {# messages of series}}', { scenarios });
  return listed([...(notifications > 0 ? [ofNotifications] : []), ...(scenarios > 0 ? [ofScenarios] : [])]);
}
