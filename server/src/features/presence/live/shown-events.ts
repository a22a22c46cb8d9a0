import { matchesRecord } from '@pharos/query';
import { type Caller, type FindHeld, seesAll, seesAudiences } from '../../../access/caller.ts';
import type { Scope } from '../../../access/keys/scopes.ts';
import type { AppPseudonyms } from '../../../access/pseudonyms/pseudonyms.ts';
import type { RuledFields } from '../../../access/rules/check.ts';
import type { ResourceName } from '../../../access/rules/presets.ts';
import type { Rule } from '../../../access/rules/rule.ts';
import { findVenuesOf, venuesFor } from '../../../access/venue-limit.ts';
import type { Db } from '../../../db/db.ts';
import { withoutHidden } from '../../../http/member-rules.ts';
import { showPhonesIn, viewOf } from '../../../resources/members/phone-view.ts';
import type { RecordTable } from '../../../resources/table.ts';
import { tracesOfEvents } from '../../domain-event.ts';
import type { LiveEvent } from './store.ts';

type EventData = Readonly<Record<string, unknown>>;
type Data = EventData & {
  readonly installationId?: { readonly objectId: string };
  readonly enteredAt?: string;
  readonly venueId?: { readonly objectId: string };
  readonly beaconId?: { readonly objectId: string };
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
  place: ['positions', 'get', 'listen'],
  message: ['verdicts', 'list', 'listen'],
  push: ['pushes', 'get', 'listen'],
  // A number, and no record of anybody.
  occupancy: ['analytics', 'list', 'list'],
};

/** Whether somebody hears of all events, and so may know how many there are. */
export function hearsOfAll(caller: Caller): boolean {
  const { app, isAdministrator, secretKey } = caller;
  if (isAdministrator) return true;
  if (!seesAll(caller) || app.rules.of('events').rules.listen.word === 'nobody') return false;
  return secretKey === undefined || secretKey.scopes.include({ of: 'events', verb: 'listen' });
}

/** The scopes of which a secret key needs one to listen. */
export const heardScopes: readonly Scope[] = Object.values(subjects).map(([of, , verb]) => ({ of, verb }));

/** The resources whose records belong to the owner of their installation. */
const traces: ReadonlySet<ResourceName> = new Set(['events', 'visits', 'verdicts', 'positions']);

export interface ShowDeps {
  readonly db: Db;
  readonly findHeld: FindHeld;
  readonly fieldsOf: RuledFields['of'];
  readonly tableOf: (resource: ResourceName | undefined) => RecordTable | undefined;
  readonly pseudonymsOf: (appId: string) => Promise<AppPseudonyms | undefined>;
}

export type ShowEvents = (events: readonly LiveEvent[]) => Promise<readonly LiveEvent[]>;

/**
 * Leaves the events about records that the listener may read and may hear of, without the members that are hidden from
 * her. Whose an installation is is looked up for each portion of events, so that one that has gone to somebody else is
 * heard of no more, and counts from the moment on at which it became hers.
 */
export function showEvents(caller: Caller, { db, findHeld, fieldsOf, tableOf, pseudonymsOf }: ShowDeps): ShowEvents {
  const { app, user, secretKey } = caller;

  /** The events with phones named as the listener may see them. */
  async function withPhones(events: readonly LiveEvent[], held: Held | undefined): Promise<readonly LiveEvent[]> {
    const pseudonyms = await pseudonymsOf(app.appId);
    if (!pseudonyms) return events;
    const view = held ? { pseudonyms, own: held } : await viewOf(pseudonyms, app.appId, user?.userId);
    return Promise.all(
      events.map(async (event) => {
        const table = tableOf(tracesOfEvents[event.event.split('.')[0] ?? '']);
        if (!table) return event;
        const said = JSON.parse(event.data) as Said;
        const data = await showPhonesIn(db, table, said.data, view);
        return data === said.data ? event : { ...event, data: JSON.stringify({ ...said, data }) };
      }),
    );
  }

  /** Where rules may speak of the venue at which something was: those of the beacons that the events name. */
  async function venuesIn(said: readonly Said[]): Promise<ReadonlyMap<string, string>> {
    if (!app.rules.text.includes('venueId')) return new Map();
    return findVenuesOf(
      db,
      app.appId,
      said.flatMap(({ data }) => data.beaconId?.objectId ?? []),
    );
  }

  function allows(resource: ResourceName, rule: Rule, { data, timestamp }: Said, { held, venues }: Known): boolean {
    if (rule.word === 'owner' && traces.has(resource) && !seesAll(caller)) {
      const since = held.get(data.installationId?.objectId ?? '');
      if (since === undefined) return false;
      return Date.parse(timestamp) >= since && Date.parse(data.enteredAt ?? timestamp) >= since;
    }
    const where = rule.bind(caller, fieldsOf(resource));
    if (where === undefined) return true;
    if (!traces.has(resource) || data.venueId !== undefined) return matchesRecord(where, data);
    const venue = venues.get(data.beaconId?.objectId ?? '');
    const venueId = venue === undefined ? null : { __type: 'Pointer', className: 'Venue', objectId: venue };
    return matchesRecord(where, { ...data, venueId });
  }

  /** The counts of a push reveal the size of its audience. */
  function withoutCounts(resource: ResourceName, data: EventData): EventData {
    if (resource !== 'pushes' || seesAudiences(caller)) return data;
    const { pushId, state } = data;
    return { pushId, state };
  }

  /** Of a number of a venue: whether the caller may have that venue's. */
  function isWithin(resource: ResourceName, { data }: Said): boolean {
    const venues = resource === 'analytics' ? venuesFor(caller, resource, 'list') : undefined;
    return venues === undefined || venues.includes(data.venueId?.objectId ?? '');
  }

  return async (events) => {
    if (caller.isAdministrator) return withPhones(events, undefined);
    const held: Held = user && !seesAll(caller) ? await findSince(findHeld, app.appId, user.userId) : new Map();
    const heard = events.map((event) => ({ event, said: JSON.parse(event.data) as Said }));
    const known = { held, venues: await venuesIn(heard.map(({ said }) => said)) };
    const shown = heard.flatMap(({ event, said }) => {
      const [resource, read, hear] = subjects[event.event.split('.')[0] ?? ''] ?? [];
      if (resource === undefined || read === undefined || hear === undefined) return [];
      if (secretKey && !secretKey.scopes.include({ of: resource, verb: hear })) return [];
      const ruled = app.rules.of(resource);
      const { [hear]: hearing, [read]: reading } = ruled.rules;
      if (
        !isWithin(resource, said) ||
        !allows(resource, hearing, said, known) ||
        !allows(resource, reading, said, known)
      )
        return [];
      const data = withoutCounts(resource, withoutHidden(said.data, ruled, caller));
      return [data === said.data ? event : { ...event, data: JSON.stringify({ ...said, data }) }];
    });
    return withPhones(shown, user && !seesAll(caller) ? held : undefined);
  };
}

type Held = ReadonlyMap<string, number>;

interface Known {
  readonly held: Held;
  /** Venues of beacons, by the beacons' ids. */
  readonly venues: ReadonlyMap<string, string>;
}

async function findSince(findHeld: FindHeld, appId: string, userId: string): Promise<Held> {
  return new Map((await findHeld(appId, userId)).map(({ objectId, heldSince }) => [objectId, heldSince]));
}
