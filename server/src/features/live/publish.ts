import type { Clock } from '../../base/clock.ts';
import { newObjectId } from '../../base/id.ts';
import type { CacheVersion } from '../../db/cache-version.ts';
import type { Db } from '../../db/db.ts';
import { isoTime } from '../../http/answers.ts';
import type { Announce, DomainEventType } from '../domain-event.ts';
import * as store from './store.ts';

const maxCachedApps = 1_000;

/** Verdicts are too many to watch; what was shown is among the rest. */
const leftOut: ReadonlySet<DomainEventType> = new Set(['message.verdict']);

export interface LivePublisherDeps {
  readonly cacheVersion: Pick<CacheVersion, 'onChange'>;
  readonly now: Clock;
  /** Called after the commit. */
  readonly wake: (appId: string) => void;
}

/** Keeps what happened for those who listen. An app that nobody listens to costs a look into a map. */
export function createLivePublisher({ cacheVersion, now, wake }: LivePublisherDeps): Announce {
  const wanted = new Map<string, number>();
  let generation = 0;
  cacheVersion.onChange(() => {
    generation++;
    wanted.clear();
  });

  async function load(db: Db, appId: string): Promise<number> {
    const before = generation;
    const until = (await store.findLiveApp(db, appId))?.wanted_until ?? 0;
    if (before !== generation) return until;
    if (wanted.size >= maxCachedApps) wanted.clear();
    wanted.set(appId, until);
    return until;
  }

  return async (db, appId, tell) => {
    const until = wanted.get(appId) ?? (await load(db, appId));
    if (until <= now()) return;
    const domainEvents = tell().filter(({ type }) => !leftOut.has(type));
    if (domainEvents.length === 0) return;
    for (const { type, at, data } of domainEvents) {
      const text = JSON.stringify({ timestamp: isoTime(at), data });
      // Numbers are given by the ids, which ascend.
      await store.appendEvent(db, { appId, objectId: newObjectId(now()), event: type, data: text, now: now() });
    }
    db.afterCommit(() => wake(appId));
  };
}
