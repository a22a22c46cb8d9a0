import type { Db } from '../../../db/db.ts';
import type { ServiceCondition } from '../../condition.ts';
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
  /** Reports by mail that did not reach everybody. */
  readonly listReports: (appId: string) => Promise<AppCounts['reports']>;
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
  const [senders, quotas, keys, waiting, crowded, reports, timeZone] = await Promise.all([
    deps.listSenders(appId),
    deps.readQuotas(appId),
    deps.listSecretKeys(appId),
    deps.listWaiting(appId),
    deps.listCrowded(appId),
    deps.listReports(appId),
    deps.timeZoneOf(appId),
  ]);
  const told = { senders, quotas, keys, waiting, crowded, reports, timeZone };
  const findings: readonly ServiceCondition[] = findingsOf({ ...counted, ...told }, now);
  return { findings, ...counted };
}
