import type { Context, Makers } from '../../context.ts';
import type { Announce } from '../../domain-event.ts';
import type { Feature } from '../../feature.ts';
import { Feed } from './feed.ts';
import { Followers } from './lists/followers.ts';
import { createLivePublisher } from './publish.ts';
import { liveEndpoints } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    /** Reports events to webhooks and listeners. */
    readonly announce: Announce;
    readonly feed: Feed;
    readonly followers: Followers;
  }
}

export const makers: Makers<Context, 'announce' | 'feed' | 'followers'> = {
  announce: ({ webhookPublisher, cacheVersion, now, feed }) => {
    const tellListeners = createLivePublisher({ cacheVersion, now, wake: feed.wake });
    return async (db, appId, tell) => {
      await webhookPublisher.tell(db, appId, tell);
      await tellListeners(db, appId, tell);
    };
  },
  feed: ({ db, cacheVersion, now, onError, poller }) => {
    const feed = new Feed({ db, cacheVersion, now, onError });
    poller.add(feed.source);
    return feed;
  },
  followers: ({ db, cacheVersion, now, onError, poller, writes }) => {
    const followers = new Followers({ db, cacheVersion, now, onError });
    if (!db.readsAreLocal) poller.add(followers.source);
    writes.listener = followers;
    return followers;
  },
};

/** Streams of what happens. */
export function liveFeature({
  db,
  feed,
  followers,
  findHeld,
  ruledFields,
  tableOfRules: tableOf,
  pseudonymsOf,
}: Context): Feature {
  return {
    endpoints: liveEndpoints({ feed, followers }, { db, findHeld, fieldsOf: ruledFields.of, tableOf, pseudonymsOf }),
    sweeps: {
      'forgetting old live events': () => feed.sweep(),
      'forgetting changes of lists': () => followers.sweep(),
    },
    close() {
      feed.stop();
      followers.stop();
    },
  };
}
