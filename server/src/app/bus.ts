import type { Bus } from '../db/nodes/bus.ts';
import type { Siblings } from '../db/nodes/siblings.ts';
import { findOwnText } from '../db/settings.ts';
import type { Context } from '../features/context.ts';

const settingName = 'bus_subject';

/** The configured bus, otherwise one between the processes of this service; undefined if it has one. It connects in the background. */
export async function createBus(
  { config, db, onError }: Pick<Context, 'config' | 'db' | 'onError'>,
  siblings: Siblings | undefined,
): Promise<Bus | undefined> {
  if (config.busUrl === undefined) {
    if (!siblings) return undefined;
    const { SiblingBus } = await import('../db/nodes/sibling-bus.ts');
    return new SiblingBus(siblings);
  }
  // Loaded only when used.
  const { NatsBus } = await import('../db/nodes/nats-bus.ts');
  return new NatsBus({
    url: config.busUrl,
    // The same for all nodes on one database, and for no others.
    subject: `pharos.${await findOwnText(db, settingName, 24)}`,
    onTrouble: (error) => onError('the bus between the nodes is away; changes are seen a moment later', error),
  });
}

/** Connects the bus with the code that sends messages and the code that waits for them. */
export function connectBus(bus: Bus, context: Context): void {
  const { cacheVersion, siteRevision, outbox, feed, followers, devicePort, poller, config } = context;
  const caches = [cacheVersion, siteRevision];
  const { router } = devicePort;
  for (const cache of caches) cache.onOwnChange((n, appId) => bus.tell({ kind: 'change', name: cache.name, n, appId }));
  // A worker of this process takes what is enqueued here; others find what it has no room for.
  if (!config.worker) outbox.onEnqueued((kind) => bus.tell({ kind: 'jobs', kinds: [kind] }));
  feed.onOwnEvent((appId) => bus.tell({ kind: 'live', appId }));
  followers.onOwnChange((appId) => bus.tell({ kind: 'live', appId }));
  router?.onMessage((node) => bus.tell({ kind: 'devices', node }));
  bus.onMessage((message) => {
    if (message.kind === 'change') caches.find(({ name }) => name === message.name)?.heard(message.n, message.appId);
    else if (message.kind === 'live') {
      feed.poll(message.appId);
      void followers.poll();
    } else if (message.kind === 'devices') router?.heard(message.node);
    else if (config.worker) outbox.heard();
  });
  bus.onConnected(() => void poller.poll());
}
