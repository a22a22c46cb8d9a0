import { BoundedMap } from '../../../base/caches/bounded-map.ts';
import type { Clock } from '../../../base/clock.ts';
import { newObjectId } from '../../../base/id.ts';
import type { Db } from '../../../db/db.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import { Generations } from '../../../db/nodes/generations.ts';
import { isoTime } from '../../../http/answers.ts';
import type { Announce, DomainEventType } from '../../domain-event.ts';
import * as store from './store.ts';

const maxCachedApps = 1_000;

/** Events that the stream leaves out: verdicts are too many, and messages shown have events of their own. */
const leftOut: ReadonlySet<DomainEventType> = new Set(['message.verdict']);

type Wanted = Pick<store.Wanted, 'until' | 'positionsUntil'>;

export interface LivePublisherDeps {
  readonly cacheVersion: Pick<CacheVersion, 'onChange'>;
  readonly now: Clock;
  /** Called after the commit. */
  readonly wake: (appId: string) => void;
}

/** Stores events for listeners. An app without listeners costs one map look-up. */
export function createLivePublisher({ cacheVersion, now, wake }: LivePublisherDeps): Announce {
  const wanted = new BoundedMap<string, Wanted>(maxCachedApps);
  const generations = new Generations();
  cacheVersion.onChange((appId) => {
    generations.drop(appId);
    if (appId === undefined) wanted.clear();
    else wanted.delete(appId);
  });

  async function load(db: Db, appId: string): Promise<Wanted> {
    const before = generations.of(appId);
    const app = await store.findLiveApp(db, appId);
    const found: Wanted = { until: app?.wanted_until ?? 0, positionsUntil: app?.positions_until ?? 0 };
    if (before === generations.of(appId)) wanted.set(appId, found);
    return found;
  }

  return async (db, appId, tell) => {
    const { until, positionsUntil } = wanted.get(appId) ?? (await load(db, appId));
    if (until <= now()) return;
    // They would push everything else out of what is kept.
    const hasPositions = positionsUntil > now();
    const domainEvents = tell().filter(
      ({ type }) => !leftOut.has(type) && (hasPositions || type !== 'position.changed'),
    );
    if (domainEvents.length === 0) return;
    for (const { type, at, data } of domainEvents) {
      const text = JSON.stringify({ timestamp: isoTime(at), data });
      // Numbers are given by the ids, which ascend.
      await store.appendEvent(db, { appId, objectId: newObjectId(now()), event: type, data: text, now: now() });
    }
    db.afterCommit(() => wake(appId));
  };
}
