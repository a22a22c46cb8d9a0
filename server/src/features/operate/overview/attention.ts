import type { Db } from '../../../db/db.ts';
import type { ServiceCondition } from '../../condition.ts';
import { dayIn } from '../../zone-day.ts';
import { type AppCounts, findingsOf } from './findings.ts';
import type { ReachSummary, WebhookTrouble } from './schemas.ts';
import { type Counts, readAttention } from './store.ts';

/** What other features know of an app that may need a person. */
export interface AttentionDeps {
  readonly db: Db;
  readonly counts: Counts;
  readonly countWebhookTrouble: (appId: string) => Promise<WebhookTrouble>;
  readonly readReach: (appId: string) => Promise<ReachSummary>;
  readonly listSenders: (appId: string) => Promise<AppCounts['senders']>;
  readonly readQuotas: (appId: string) => Promise<AppCounts['quotas']>;
  /** Pushes that wait for a second person. */
  readonly listWaiting: (appId: string) => Promise<AppCounts['waiting']>;
  /** The places where there are more visitors than may be. */
  readonly listCrowded: (appId: string) => Promise<AppCounts['crowded']>;
  /** What more phones have than before that keeps them from hearing beacons. */
  readonly listSensing: (appId: string) => Promise<AppCounts['sensing']>;
  /** Reports by mail that did not reach everybody. */
  readonly listReports: (appId: string) => Promise<AppCounts['reports']>;
  /** What is wrong with beacons. */
  readonly listBeacons: (appId: string) => Promise<AppCounts['beacons']>;
  /** Whether a day, such as 2026-05-04, is an open one of any venue; undefined if nobody knows the hours. */
  readonly readOpenDays: (appId: string) => Promise<((day: string) => boolean) | undefined>;
  readonly timeZoneOf: (appId: string) => Promise<string>;
  readonly listSecretKeys: (appId: string) => Promise<AppCounts['keys']>;
}

const pick = ({ senders, installations, reachable, unreachable }: ReachSummary): ReachSummary => ({
  senders,
  installations,
  reachable,
  unreachable,
});

/** What needs attention in an app, in words and in numbers. */
export async function readAppAttention(deps: AttentionDeps, appId: string, now: number) {
  const { db, counts } = deps;
  const counted = {
    ...(await readAttention({ db, counts, appId }, now)),
    webhooks: await deps.countWebhookTrouble(appId),
    reach: pick(await deps.readReach(appId)),
  };
  const [senders, quotas, keys, waiting, crowded, sensing, reports, beacons, isOpen, timeZone] = await Promise.all([
    deps.listSenders(appId),
    deps.readQuotas(appId),
    deps.listSecretKeys(appId),
    deps.listWaiting(appId),
    deps.listCrowded(appId),
    deps.listSensing(appId),
    deps.listReports(appId),
    deps.listBeacons(appId),
    deps.readOpenDays(appId),
    deps.timeZoneOf(appId),
  ]);
  const quiet = quietSince(counted.lastVisitAt, { isOpen, timeZone, now });
  const told = { senders, quotas, keys, waiting, crowded, sensing, reports, beacons, quiet, timeZone };
  const findings: readonly ServiceCondition[] = findingsOf({ ...counted, ...told }, now);
  return { findings, ...counted };
}

interface QuietDeps {
  readonly isOpen: ((day: string) => boolean) | undefined;
  readonly timeZone: string;
  readonly now: number;
}

const dayMs = 86_400_000;
/** Nobody counts further. */
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
