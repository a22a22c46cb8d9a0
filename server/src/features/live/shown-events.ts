import { type Caller, type FindHeld, seesAll } from '../../access/caller.ts';
import type { Scope } from '../../access/keys/scopes.ts';
import type { RuledFields } from '../../access/rules/check.ts';
import type { ResourceName } from '../../access/rules/presets.ts';
import type { Rule } from '../../access/rules/rules.ts';
import { venuesFor } from '../../access/venue-limit.ts';
import { withoutHidden } from '../../http/member-rules.ts';
import { matchesRecord } from '../../query/match.ts';
import type { LiveEvent } from './store.ts';

type Data = Readonly<Record<string, unknown>> & {
  readonly installationId?: { readonly objectId: string };
  readonly enteredAt?: string;
  readonly venueId?: { readonly objectId: string };
};
interface Said {
  readonly timestamp: string;
  readonly data: Data;
}

/** The resource whose record an event is about, by the first part of its name, and what has to be allowed to read it. */
const subjects: Readonly<
  Record<string, readonly [resource: ResourceName, read: 'get' | 'list', hear: 'listen' | 'list']>
> = {
  presence: ['events', 'get', 'listen'],
  visit: ['visits', 'get', 'listen'],
  position: ['positions', 'get', 'listen'],
  message: ['verdicts', 'list', 'listen'],
  push: ['pushes', 'get', 'listen'],
  // A number, and no record of anybody.
  occupancy: ['analytics', 'list', 'list'],
};

/** What a secret key needs one of to listen. */
export const heardScopes: readonly Scope[] = Object.values(subjects).map(([of, , verb]) => ({ of, verb }));

/** These belong to whom their installation belongs. */
const traces: ReadonlySet<ResourceName> = new Set(['events', 'visits', 'verdicts', 'positions']);

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

  /** Of a number of a venue: whether the caller may have that venue's. */
  function isWithin(resource: ResourceName, { data }: Said): boolean {
    const venues = resource === 'analytics' ? venuesFor(caller, resource, 'list') : undefined;
    return venues === undefined || venues.includes(data.venueId?.objectId ?? '');
  }

  return async (events) => {
    const held: Held = user && !seesAll(caller) ? await findSince(findHeld, app.appId, user.userId) : new Map();
    return events.flatMap((event) => {
      const [resource, read, hear] = subjects[event.event.split('.')[0] ?? ''] ?? [];
      if (resource === undefined || read === undefined || hear === undefined) return [];
      if (secretKey && !secretKey.scopes.include({ of: resource, verb: hear })) return [];
      const said = JSON.parse(event.data) as Said;
      const ruled = app.rules.of(resource);
      const { [hear]: hearing, [read]: reading } = ruled.rules;
      if (!isWithin(resource, said) || !allows(resource, hearing, said, held) || !allows(resource, reading, said, held))
        return [];
      const data = withoutHidden(said.data, ruled, caller);
      return [data === said.data ? event : { ...event, data: JSON.stringify({ ...said, data }) }];
    });
  };
}

type Held = ReadonlyMap<string, number>;

async function findSince(findHeld: FindHeld, appId: string, userId: string): Promise<Held> {
  return new Map((await findHeld(appId, userId)).map(({ objectId, heldSince }) => [objectId, heldSince]));
}
