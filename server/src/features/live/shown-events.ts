import { type Caller, type FindHeld, seesAll } from '../../access/caller.ts';
import type { RuledFields } from '../../access/rules/check.ts';
import type { ResourceName } from '../../access/rules/presets.ts';
import type { Rule } from '../../access/rules/rules.ts';
import { withoutHidden } from '../../http/member-rules.ts';
import { matchesRecord } from '../../query/match.ts';
import type { LiveEvent } from './store.ts';

type Data = Readonly<Record<string, unknown>> & {
  readonly installationId?: { readonly objectId: string };
  readonly enteredAt?: string;
};
interface Said {
  readonly timestamp: string;
  readonly data: Data;
}

/** The resource whose record an event is about, by the first part of its name, and what has to be allowed to read it. */
const subjects: Readonly<Record<string, readonly [resource: ResourceName, read: 'get' | 'list']>> = {
  presence: ['events', 'get'],
  visit: ['visits', 'get'],
  message: ['verdicts', 'list'],
  push: ['pushes', 'get'],
};

/** What the stream tells of. */
export const heardResources: readonly ResourceName[] = Object.values(subjects).map(([resource]) => resource);

/** These belong to whom their installation belongs. */
const traces: ReadonlySet<ResourceName> = new Set(['events', 'visits', 'verdicts']);

export type ShowEvents = (events: readonly LiveEvent[]) => Promise<readonly LiveEvent[]>;

/**
 * Leaves the events about records that the listener may read and may hear of, without the members that are hidden from
 * her. Whose an installation is is looked up for each portion of events, so that one that has gone to somebody else is
 * heard of no more, and counts from the moment on at which it became hers.
 */
export function showEvents(caller: Caller, findHeld: FindHeld, fieldsOf: RuledFields['of']): ShowEvents {
  const { app, user, secretKey } = caller;

  function allows(resource: ResourceName, rule: Rule, { data, timestamp }: Said, held: Held): boolean {
    if (rule.word === 'owner' && traces.has(resource) && !seesAll(caller)) {
      const since = held.get(data.installationId?.objectId ?? '');
      if (since === undefined) return false;
      return Date.parse(timestamp) >= since && Date.parse(data.enteredAt ?? timestamp) >= since;
    }
    const where = rule.bind(caller, fieldsOf(resource));
    return where === undefined || matchesRecord(where, data);
  }

  return async (events) => {
    const held: Held = user && !seesAll(caller) ? await findSince(findHeld, app.appId, user.userId) : new Map();
    return events.flatMap((event) => {
      const [resource, read] = subjects[event.event.split('.')[0] ?? ''] ?? [];
      if (resource === undefined || read === undefined) return [];
      if (secretKey && !secretKey.scopes.include({ of: resource, verb: 'listen' })) return [];
      const said = JSON.parse(event.data) as Said;
      const ruled = app.rules.of(resource);
      const { listen, [read]: reading } = ruled.rules;
      if (!allows(resource, listen, said, held) || !allows(resource, reading, said, held)) return [];
      const data = withoutHidden(said.data, ruled, caller);
      return [data === said.data ? event : { ...event, data: JSON.stringify({ ...said, data }) }];
    });
  };
}

type Held = ReadonlyMap<string, number>;

async function findSince(findHeld: FindHeld, appId: string, userId: string): Promise<Held> {
  return new Map((await findHeld(appId, userId)).map(({ objectId, heldSince }) => [objectId, heldSince]));
}
