import type { ServiceCondition } from '../../condition.ts';
import type { Context } from '../../context.ts';
import { dayIn } from '../../zone-day.ts';
import { type AppCounts, findingsOf } from './findings.ts';
import type { ReachSummary } from './schemas.ts';
import { readAttention } from './store.ts';

const pick = ({ senders, installations, reachable, unreachable }: ReachSummary): ReachSummary => ({
  senders,
  installations,
  reachable,
  unreachable,
});

export async function readAppAttention(context: Context, appId: string, now: number) {
  const { db } = context;
  const { policy } = await context.assertApp(appId);
  const { timeZone } = policy;
  const counted = {
    ...(await readAttention(context, appId, now)),
    webhooks: await context.webhooks.countTrouble(appId),
    reach: pick(await context.readReach(context, appId, undefined)),
  };
  const [senders, used, keys, waiting, crowded, sensing, reports, beacons, isOpen] = await Promise.all([
    context.senders.list(appId),
    context.usage.of(appId),
    context.secretKeys.list(appId),
    context.listWaiting(db, appId),
    context.occupancy.conditions(appId),
    context.findSensingConditions(db, appId, now),
    context.findReportConditions(appId),
    context.beaconConditions(appId),
    readOpenDays(context, appId),
  ]);
  const quotas = context.usedQuotas(used, policy);
  const quiet = quietSince(counted.lastVisitAt, { isOpen, timeZone, now });
  const conditions = { senders, quotas, keys, waiting, crowded, sensing, reports, beacons, quiet, timeZone };
  const findings: readonly ServiceCondition[] = findingsOf({ ...counted, ...conditions }, now);
  return { findings, ...counted };
}

/** Whether a day, such as 2026-05-04, is an open one of any venue; undefined if nobody knows the hours. */
async function readOpenDays({ db, listCalendars, dayKindsOf }: Context, appId: string) {
  const calendars = (await listCalendars(db, appId)).filter(({ opening_hours: hours }) => hours !== null);
  if (calendars.length === 0) return undefined;
  const kindOf = dayKindsOf(calendars);
  // A special day may be a closed one.
  return (day: string) => kindOf(day) === 'open';
}

interface QuietDeps {
  readonly isOpen: ((day: string) => boolean) | undefined;
  readonly timeZone: string;
  readonly now: number;
}

const dayMs = 86_400_000;
/** Days are counted up to this many. */
const maxDays = 30;

/** Whole days since the last visit began. */
function quietSince(lastVisitAt: string | null, { isOpen, timeZone, now }: QuietDeps): AppCounts['quiet'] {
  if (lastVisitAt === null) return { days: 0, openDays: undefined };
  const dayOf = (at: number) => dayIn(timeZone, at).day;
  const last = Date.parse(lastVisitAt);
  const whole = Array.from({ length: maxDays }, (_, index) => dayOf(last + (index + 1) * dayMs));
  const over = whole.filter((day) => day < dayOf(now));
  return { days: over.length, openDays: isOpen && over.filter(isOpen).length };
}
