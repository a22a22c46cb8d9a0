import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import type { Context } from '../../context.ts';
import type { Announce, DomainEvent } from '../../domain-event.ts';
import type { Backlog } from './backlog.ts';
import type { LiveWebhook, WebhookDirectory } from './directory.ts';
import * as store from './store.ts';

export const webhookJob = 'webhook.send';
export const timeToLiveMs = 86_400_000;

export interface PublisherDeps extends Pick<Context, 'now' | 'enqueue'> {
  readonly directory: WebhookDirectory;
  readonly backlog: Pick<Backlog, 'noteQueued'>;
  /** The event as strangers are shown it. A retry sends the same text, since the text is stored. */
  readonly conceal: (db: Db, appId: string, events: readonly DomainEvent[]) => Promise<readonly DomainEvent[]>;
}

export interface WebhookPublisher {
  /** Costs one look-up for an app without webhooks. A webhook added at another node a second ago may miss it. */
  readonly tell: Announce;
  /** For rare events that are sent once: asks the database which webhooks there are. */
  readonly tellRare: Announce;
}

/** Queues an event in the outbox once for every webhook that wants it. */
export function createWebhookPublisher({ directory, now, enqueue, backlog, conceal }: PublisherDeps): WebhookPublisher {
  async function publish(db: Db, appId: string, webhookId: string, domainEvent: DomainEvent): Promise<void> {
    const at = now();
    const objectId = newObjectId(at);
    const payload = renderPayload(appId, domainEvent);
    const delivery = { appId, objectId, webhookId, event: domainEvent.type, payload };
    await store.insertDelivery(db, store.queued(delivery, at, at + timeToLiveMs));
    // The same id, so that the job is found again when the call is given up.
    await enqueue(db, { appId, jobId: objectId, kind: webhookJob, payload: { deliveryId: objectId } });
    backlog.noteQueued(db, appId, webhookId);
  }

  async function tellEach(
    db: Db,
    appId: string,
    subscriptions: readonly LiveWebhook[],
    tell: Parameters<Announce>[2],
  ): Promise<void> {
    if (subscriptions.length === 0) return;
    const all = subscriptions.map(({ events }) => events);
    const wanted = tell().filter(({ type }) => all.some((events) => events.has(type)));
    for (const domainEvent of await conceal(db, appId, wanted)) {
      for (const { row, events } of subscriptions) {
        if (events.has(domainEvent.type)) await publish(db, appId, row.object_id, domainEvent);
      }
    }
  }

  return {
    tell: async (db, appId, tell) =>
      tellEach(db, appId, directory.known(appId) ?? (await directory.load(db, appId)), tell),
    tellRare: async (db, appId, tell) => tellEach(db, appId, await directory.load(db, appId), tell),
  };
}

export function renderPayload(
  appId: string,
  domainEvent: { readonly type: string; readonly at: number; readonly data: object },
): string {
  const { type, at, data } = domainEvent;
  return JSON.stringify({ type, timestamp: isoTime(at), appId, data });
}
