import { isDeepStrictEqual } from 'node:util';
import { Failure, fail } from '../../../base/errors.ts';
import { readIfMatch } from '../../../resources/entity-tag.ts';
import type { ManagedKey, ManagedKind } from '../../managed-kind.ts';
import { type WebhookFields, webhookShape } from './schemas.ts';
import { type WebhookService, webhookTag } from './service.ts';

type Deps = Pick<WebhookService, 'get' | 'change' | 'remove'>;

export function webhookKinds(service: Deps): Readonly<Record<'changeWebhook' | 'deleteWebhook', ManagedKind>> {
  const common = { permission: 'webhooks.write', name: 'Webhooks' } as const;
  return {
    changeWebhook: {
      ...common,
      read: (change) => webhookShape.readUpdate(change).set,
      async change(key, change, seen) {
        const { appId, objectId, who } = key;
        const { was, assertUnchanged, already } = await asSeen(service, key, { seen, change });
        if (already !== undefined) return { was, updatedAt: already, isAlready: true };
        const fields = change as Partial<WebhookFields>;
        const { updatedAt } = await service.change(appId, objectId, fields, { by: undefined, who, assertUnchanged });
        return { was, updatedAt };
      },
    },
    deleteWebhook: {
      ...common,
      deletes: true,
      read: () => ({}),
      async change(key, _change, seen) {
        const { appId, objectId } = key;
        const found = await asSeen(service, key, { seen }).catch((error: unknown) => {
          if (seen && error instanceof Failure && error.name === 'ObjectNotFound') return undefined;
          throw error;
        });
        // It was there when it was chosen.
        if (!found) return { was: {}, updatedAt: undefined, isAlready: true };
        const { was, assertUnchanged } = found;
        await service.remove(appId, objectId, { by: undefined, assertUnchanged });
        return { was, updatedAt: undefined };
      },
    },
  };
}

interface Wanted {
  readonly seen: object | undefined;
  /** The members to change; undefined: the webhook is deleted. */
  readonly change?: object;
}

/** The current values of the members to change, and a check that they are still the same. @throws Failure */
async function asSeen(service: Deps, { appId, objectId }: ManagedKey, { seen, change }: Wanted) {
  const now = await service.get(appId, objectId);
  const of = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(now).filter(([name]) => names.includes(name)));
  const was = of(change ? Object.keys(change) : ['url', 'description']);
  if (seen && !isDeepStrictEqual(of(Object.keys(seen)), { ...seen })) {
    if (change && isDeepStrictEqual(was, { ...change })) return { was, already: now.updatedAt };
    throw fail('PreconditionFailed');
  }
  return { was, assertUnchanged: seen && readIfMatch({ 'if-match': webhookTag(now) }) };
}
