import type { Clock } from '../../base/clock.ts';
import { newObjectId } from '../../base/id.ts';
import type { Db } from '../../db/db.ts';
import type { Revision } from '../../db/revision.ts';
import { isoTime } from '../../http/answers.ts';
import type { Announce, HappeningType } from '../happening.ts';
import * as store from './store.ts';

const maxCachedApps = 1_000;

/** Verdicts are too many to watch; what was shown is among the rest. */
const leftOut: ReadonlySet<HappeningType> = new Set(['message.verdict']);

export interface LivePublisherDeps {
  readonly revision: Pick<Revision, 'onChange'>;
  readonly now: Clock;
  /** Called after the commit. */
  readonly wake: (appId: string) => void;
}

/** Keeps what happened for those who listen. An app that nobody listens to costs a look into a map. */
export function createLivePublisher({ revision, now, wake }: LivePublisherDeps): Announce {
  const wanted = new Map<string, number>();
  let generation = 0;
  revision.onChange(() => {
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
    const happenings = tell().filter(({ type }) => !leftOut.has(type));
    if (happenings.length === 0) return;
    for (const { type, at, data } of happenings) {
      const text = JSON.stringify({ timestamp: isoTime(at), data });
      // Numbers are given by the ids, which ascend.
      await store.appendEvent(db, { appId, objectId: newObjectId(now()), event: type, data: text, now: now() });
    }
    db.afterCommit(() => wake(appId));
  };
}
