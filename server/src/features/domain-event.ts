import type { Db } from '../db/db.ts';

/** What an app can be told about, by a webhook or in its live stream. */
export const domainEventTypes = [
  'presence.enter',
  'presence.exit',
  'presence.zone',
  'visit.opened',
  'visit.closed',
  'visit.updated',
  'message.fired',
  'message.verdict',
  'push.progress',
  'push.finished',
] as const;
export type DomainEventType = (typeof domainEventTypes)[number];

export interface DomainEvent {
  readonly type: DomainEventType;
  /** When it happened, epoch milliseconds. */
  readonly at: number;
  /** JSON, in the shapes of the interface. */
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * Notifies webhooks and live streams. `db` is the transaction of what happened, so that neither is there without the
 * other. `tell` is called only if there is a subscriber.
 */
export type Announce = (db: Db, appId: string, tell: () => readonly DomainEvent[]) => Promise<void>;
