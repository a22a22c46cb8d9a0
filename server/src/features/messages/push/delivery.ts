import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import type { Db } from '../../../db/db.ts';
import { createPace, type Pace } from '../../../delivery/push/pace.ts';
import type { PushSenderKind } from '../../../delivery/push/push-sender.ts';
import type { JobHandlers } from '../../../jobs/job.ts';
import type { Context } from '../../context.ts';
import { approvalFor } from './approval.ts';
import type { PushDeliveryDeps, UsableSenders } from './deliver.ts';
import { type Addressed, type Audience, expandHandler, expandJob, sendJob } from './expand.ts';
import { proximityHandler, proximityJob } from './proximity.ts';
import { sendHandler } from './send.ts';

export interface PushJobDeps
  extends Pick<
    Context,
    'now' | 'enqueue' | 'audienceFields' | 'markTokenDead' | 'countAudience' | 'announce' | 'onError'
  > {
  readonly db: Db;
  readonly audience: Audience;
  readonly findSenders: (appId: string) => Promise<UsableSenders>;
  readonly findPolicy: PushDeliveryDeps['findPolicy'];
  /** Messages a second that one app may send through a provider. */
  readonly perSecond: (kind: PushSenderKind) => number;
}

/** How many paces are remembered; one that was not used for long begins at full pace. */
const maxPaces = 2_000;

function createPaces({ now, perSecond }: Pick<PushJobDeps, 'now' | 'perSecond'>): PushDeliveryDeps['paceOf'] {
  const paces = new BoundedMap<string, Pace>(maxPaces);
  return (appId, kind, since) => {
    const key = `${appId} ${kind} ${since}`;
    const pace = paces.get(key) ?? createPace({ perSecond: perSecond(kind), now });
    paces.delete(key);
    paces.set(key, pace);
    return pace;
  };
}

export interface PushDelivery {
  /** The jobs that find a push's recipients and hand messages to the providers. */
  readonly handlers: JobHandlers;
  /** What this process has written down since its start, by provider and state; for metrics. */
  readonly counts: () => readonly DeliveryCount[];
}

export function createPushDelivery(deps: PushJobDeps): PushDelivery {
  const { db, now, findSenders, findPolicy, announce, onError, markTokenDead } = deps;
  const counts = new Map<string, DeliveryCount & { count: number }>();
  const onWritten: PushDeliveryDeps['onWritten'] = (sender, state, count) => {
    const key = `${sender} ${state}`;
    const known = counts.get(key) ?? { sender: sender ?? 'none', state, count: 0 };
    known.count += count;
    counts.set(key, known);
  };
  const paceOf = createPaces(deps);
  const delivering = {
    db,
    now,
    findSenders,
    findPolicy,
    paceOf,
    random: Math.random,
    announce,
    onError,
    onWritten,
    markTokenDead,
  };
  return {
    handlers: {
      [expandJob]: expandHandler({ ...deps, approvalFor: (appId, sent) => approvalIn(deps, appId, sent) }),
      [sendJob]: sendHandler(delivering),
      [proximityJob]: proximityHandler(delivering),
    },
    counts: () => [...counts.values()],
  };
}

async function approvalIn(deps: PushJobDeps, appId: string, sent: Addressed) {
  const policy = await deps.findPolicy(appId);
  return policy ? approvalFor(deps, { appId, policy }, sent) : null;
}

/** `queued` counts tries that have to be repeated. */
export interface DeliveryCount {
  readonly sender: string;
  readonly state: string;
  readonly count: number;
}
