import { type Actor, recordChange } from '../../../access/audit.ts';
import { storedReach } from '../../../access/reach.ts';
import type { AdminRole } from '../../../access/roles.ts';
import type { Db } from '../../../db/db.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import * as store from './store.ts';

/** Why such a webhook is switched off, if it wants no other events. Any other stored reason is the receiver's. */
export const chooserIsLimited =
  'The administrator who chose its events is limited to some apps now, and may no longer be told of the whole service.';

interface Standing {
  readonly role: AdminRole;
  readonly apps: string | null;
}

export interface StandingChange {
  readonly email: string;
  readonly before: Standing;
  readonly after: Standing;
}

/** Whether a webhook with these events gets any about the service as a whole. */
export const hearsOfService = (events: readonly string[]) => events.some(isOfService);

const isOfService = (event: string) => event.startsWith(store.ofService);

const isLimited = (standing: Standing) => storedReach(standing) !== null;

/**
 * In the transaction that changes an administrator: one who is now limited to some apps no longer gets events of the whole service by
 * webhook. A webhook without other events is switched off.
 */
export async function leaveServiceAlerts(
  db: Db,
  { email, before, after }: StandingChange,
  { by, now, cacheVersion }: { readonly by: Actor; readonly now: number; readonly cacheVersion: CacheVersion },
): Promise<void> {
  if (isLimited(before) || !isLimited(after)) return;
  const appIds = await store.listAppsChosenBy(db, email);
  for (const appId of appIds) {
    for (const { object_id: subject } of await store.listWebhooks(db, appId)) {
      const row = await store.lockWebhook(db, appId, subject);
      if (row?.service_by !== email) continue;
      const { before, after, next } = withoutService(row);
      await store.writeWebhook(db, { ...next, updated_at: now });
      await recordChange(db, { by, action: 'webhook.change', appId, subject, before, after, now });
    }
  }
  // After the webhooks, as when one of them is changed.
  for (const appId of appIds) await cacheVersion.note(db, appId);
}

function withoutService(row: store.WebhookRow) {
  const events = JSON.parse(row.events) as readonly string[];
  const left = events.filter((event) => !isOfService(event));
  const next =
    left.length > 0
      ? { ...row, events: JSON.stringify(left), service_by: null }
      : {
          ...row,
          is_enabled: 0,
          service_by: null,
          ...(row.is_enabled === 1 ? { disabled_reason: chooserIsLimited } : {}),
        };
  return {
    before: { events, enabled: row.is_enabled === 1 },
    after: { events: JSON.parse(next.events) as unknown, enabled: next.is_enabled === 1 },
    next,
  };
}
