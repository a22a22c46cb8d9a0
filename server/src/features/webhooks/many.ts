import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../base/errors.ts';
import { readIfMatch } from '../../resources/entity-tag.ts';
import type { ManagedKey, ManagedKind } from '../managed-kind.ts';
import { type WebhookFields, webhookShape } from './schemas.ts';
import { type WebhookService, webhookTag } from './service.ts';

type Deps = Pick<WebhookService, 'get' | 'change' | 'remove'>;

/** Webhooks that are changed or deleted together. */
export function webhookKinds(service: Deps): Readonly<Record<'changeWebhook' | 'deleteWebhook', ManagedKind>> {
  const common = { permission: 'webhooks.write', name: 'Webhooks' } as const;
  return {
    changeWebhook: {
      ...common,
      read: (change) => webhookShape.readUpdate(change).set,
      async change(key, change, seen) {
        const { appId, objectId, who } = key;
        const { was, assertUnchanged } = await asSeen(service, key, { seen, named: Object.keys(change) });
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
        const { was, assertUnchanged } = await asSeen(service, key, { seen, named: ['url', 'description'] });
        await service.remove(appId, objectId, { by: undefined, assertUnchanged });
        return { was, updatedAt: undefined };
      },
    },
  };
}

interface Wanted {
  readonly seen: object | undefined;
  readonly named: readonly string[];
}

/** What it has of the members that are named, and how to make sure that it stays until it is changed. @throws Failure */
async function asSeen(service: Deps, { appId, objectId }: ManagedKey, { seen, named }: Wanted) {
  const now = await service.get(appId, objectId);
  const of = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(now).filter(([name]) => names.includes(name)));
  if (seen && !isDeepStrictEqual(of(Object.keys(seen)), { ...seen })) throw fail('PreconditionFailed');
  return { was: of(named), assertUnchanged: seen && readIfMatch({ 'if-match': webhookTag(now) }) };
}
