import { LRUCache } from 'lru-cache';
import type { Db } from '../../../db/db.ts';
import type { PushSender, PushSenderKind, SenderDefinition, SenderDeps } from '../../../delivery/push/push-sender.ts';
import type { Context } from '../../context.ts';
import { listSenders, type SenderRow } from './store.ts';

/** A sender that the app has set up, or the reason why its credentials cannot be used. */
type FoundSender =
  | {
      readonly sender: PushSender;
      /** When these credentials were entered; 0 for a sender that needs none. */
      readonly since: number;
    }
  | { readonly problem: string };
type AppSenders = ReadonlyMap<PushSenderKind, FoundSender>;

export interface SenderRegistry {
  /** The app's senders as they are set up now. Connections are kept between calls. */
  find(appId: string): Promise<AppSenders>;
  close(): Promise<void>;
}

export interface RegistryDeps extends Pick<Context, 'secrets' | 'onError'> {
  readonly db: Db;
  readonly definitions: readonly SenderDefinition[];
  readonly senderDeps: SenderDeps;
  /** Senders that an app has without setting anything up, such as this process's own broker. */
  readonly builtIn?: (appId: string) => AppSenders;
}

interface Kept {
  readonly updatedAt: number;
  readonly found: FoundSender;
}

/** No more open connections than these are kept. */
const maxKept = 500;

export const sealContext = (appId: string, kind: PushSenderKind) => `sender ${appId} ${kind}`;

/**
 * The row is read each time, by its key, so that new credentials apply at once on every node without being announced.
 */
export function createSenderRegistry(deps: RegistryDeps): SenderRegistry {
  const { db, secrets, senderDeps, builtIn, onError } = deps;
  const definitions = new Map(deps.definitions.map((definition) => [definition.kind, definition]));
  const closing = new Set<Promise<void>>();
  const kept = new LRUCache<string, Kept>({
    max: maxKept,
    dispose({ found }) {
      if (!('sender' in found)) return;
      const end = found.sender
        .close()
        .catch((error: unknown) => onError('closing a sender', error))
        .finally(() => closing.delete(end));
      closing.add(end);
    },
  });

  function make(row: SenderRow): FoundSender {
    const definition = definitions.get(row.kind);
    if (!definition) return { problem: `this version knows no provider ${row.kind}` };
    try {
      const settings: unknown = JSON.parse(secrets.open(row.settings, sealContext(row.app_id, row.kind)));
      return { sender: definition.create(definition.read(settings), senderDeps), since: row.updated_at };
    } catch (error) {
      onError(`opening the ${row.kind} credentials of app ${row.app_id}`, error);
      return { problem: `the ${definition.name} credentials cannot be read; enter them again in the console` };
    }
  }

  function keep(row: SenderRow): FoundSender {
    const key = `${row.app_id} ${row.kind}`;
    const old = kept.get(key);
    if (old?.updatedAt === row.updated_at) return old.found;
    const found = make(row);
    kept.set(key, { updatedAt: row.updated_at, found });
    return found;
  }

  return {
    async find(appId) {
      const rows = await listSenders(db, appId);
      return new Map([...(builtIn?.(appId) ?? []), ...rows.map((row) => [row.kind, keep(row)] as const)]);
    },
    async close() {
      kept.clear();
      await Promise.all(closing);
    },
  };
}
