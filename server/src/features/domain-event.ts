import type { ResourceName } from '../access/rules/presets.ts';
import type { Db } from '../db/db.ts';

/** What an app can be told about, by a webhook or in its live stream. */
export const domainEventTypes = [
  'presence.enter',
  'presence.exit',
  'presence.zone',
  'place.enter',
  'place.exit',
  'visit.opened',
  'visit.closed',
  'visit.updated',
  'message.fired',
  'message.verdict',
  'push.progress',
  'push.finished',
  'occupancy.exceeded',
  'occupancy.cleared',
] as const;

/** Events of the live stream only: for webhooks there would be too many. */
export const liveEventTypes = ['position.changed'] as const;

/** Events of webhooks only, for those who run the app: nobody else may hear of them. */
export const alertEventTypes = ['alert.begun', 'alert.ended', 'service.alert.begun', 'service.alert.ended'] as const;

export type DomainEventType =
  | (typeof domainEventTypes)[number]
  | (typeof liveEventTypes)[number]
  | (typeof alertEventTypes)[number];

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

/** The resource that an event is about, by the first part of its name; events of other resources name no phone. */
export const tracesOfEvents: Readonly<Record<string, ResourceName>> = {
  presence: 'events',
  visit: 'visits',
  position: 'positions',
  place: 'positions',
  message: 'verdicts',
};
