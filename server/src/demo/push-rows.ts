import { createRandom } from '@pharos/engine/simulation';
import { pushDeliveryId } from '../features/messages/push/delivery-store.ts';
import { walkEnd } from '../features/messages/push/store.ts';
import { dayMs } from './calendar.ts';
import { type PushPlan, pushPlans } from './collection.ts';
import { type Guest, seededId } from './guests.ts';
import { museum } from './halls.ts';
import { Traces } from './rows.ts';
import { deliveryOutcome } from './tour-rows.ts';

/** The pushes of the year with a delivery for each recipient. The counts of a push are those of its deliveries. */

export interface PushContext {
  readonly appId: string;
  readonly userId: string;
  readonly seed: string;
  /** When the demo was created. */
  readonly now: number;
  readonly guests: readonly Guest[];
}

function isRecipient(guest: Guest, { where }: PushPlan, at: number): boolean {
  if (guest.createdAt >= at) return false;
  if (where?.channels !== undefined && !guest.channels.includes(where.channels)) return false;
  return where?.deviceType === undefined || guest.deviceType === where.deviceType;
}

export const pushTime = ({ daysAgo }: PushPlan, now: number) =>
  Math.floor(now / dayMs) * dayMs - daysAgo * dayMs + 8.25 * 3_600_000;

export function pushRows(plan: PushPlan, { appId, userId, seed, now, guests }: PushContext): Traces {
  const traces = new Traces();
  const at = pushTime(plan, now);
  const pushId = seededId(createRandom(`${seed}/push/${plan.daysAgo}`), at);
  const counts = { sent: 0, failed: 0, expired: 0, noTarget: 0 };
  const recipients = guests
    .filter((guest) => isRecipient(guest, plan, at))
    .sort((a, b) => (a.objectId < b.objectId ? -1 : 1));
  const expiresAt = at + dayMs;
  for (const guest of recipients) {
    const random = createRandom(`${seed}/push/${plan.daysAgo}/${guest.objectId}`);
    const outcome = deliveryOutcome(random, guest, { at, openRate: 0.19, isPush: true });
    counts[outcome.state]++;
    traces.add('deliveries', {
      app_id: appId,
      object_id: pushDeliveryId(pushId, guest.objectId),
      push_id: pushId,
      installation_id: guest.objectId,
      ...outcome.cells,
      run_at: at,
      expires_at: expiresAt,
      created_at: at,
    });
  }
  const data = JSON.stringify({ title: plan.title, alert: plan.alert, uri: `${museum.site}/news` });
  const audience = plan.where === undefined ? null : JSON.stringify(plan.where);
  traces.add('pushes', {
    app_id: appId,
    object_id: pushId,
    data,
    audience,
    state: 'done',
    user_id: userId,
    expires_at: expiresAt,
    expanded_to: walkEnd,
    audience_count: recipients.length,
    sent_count: counts.sent,
    failed_count: counts.failed,
    expired_count: counts.expired,
    no_target_count: counts.noTarget,
    created_at: at,
    updated_at: at + 40_000,
  });
  return traces;
}

export const demoPushes: readonly PushPlan[] = pushPlans;
