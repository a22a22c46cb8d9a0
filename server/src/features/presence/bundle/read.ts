import type { FastifyInstance } from 'fastify';
import { fail } from '../../../base/errors.ts';
import type { Call } from '../../../http/endpoint.ts';
import type { Context } from '../../context.ts';
import { pageAs, type Spot, venuesNear } from '../../near.ts';
import { type Kept, type Kind, kinds } from './parts.ts';

/**
 * What the bundle is made of: the answers that the caller gets from the lists of the interface, asked with its own credentials. So rules, hidden
 * members, venues and scopes hold by the one code that there is for them.
 */

export type BundleReads = Pick<Context, 'db' | 'learnedOf' | 'server' | 'signalsOf'>;

export interface Place {
  /** objectIds; undefined: the whole app. */
  readonly venues: readonly string[] | undefined;
  /** objectIds of beacons that were heard: their venues, and those that are in none. */
  readonly near: readonly string[];
  /** Where the phone is: the venues around it. */
  readonly spot: Spot | undefined;
}

type Json = Readonly<Record<string, unknown>>;
interface Listed extends Json {
  readonly objectId: string;
}

/** The most beacons in a bundle; whoever has more names venues. */
const maxBeacons = 2_000;
const pageSize = 1_000;
/** Pointers of 75 characters in one `where`, which has 8,192 at most. */
const namedAtOnce = 100;

const pointer = (className: string) => (objectId: string) => ({ __type: 'Pointer', className, objectId });

/** The members without which a phone would decide differently from the service: a list that lacks one is left out. */
const decisive: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  beacons: ['uuid', 'major', 'minor', 'location', 'metadata', 'measuredPower', 'sensitivity', 'radius', 'venueId'],
  venues: ['timeZone', 'openingHours', 'exceptions'],
  notifications: [
    ...['beaconId', 'event', 'type', 'message', 'isEnabled', 'delivery'],
    ...['holdout', 'variants', 'language', 'translations'],
  ],
  storylines: ['title', 'isEnabled'],
  scenarios: [
    ...['beacons', 'campaign', 'event', 'showOn', 'delivery', 'holdout', 'variants', 'language', 'translations'],
    ...['alertTitle', 'alertMessage', 'urlImageAndroid', 'urlImageIOS', 'urlPage', 'urlVideo'],
  ],
};

/** @throws Failure ValidationError for more than {@link maxBeacons}, and other errors of the lists than missing rights */
export async function readBundle(
  { server, db, learnedOf, signalsOf }: BundleReads,
  call: Call<unknown, unknown>,
  { venues, near, spot }: Place,
): Promise<{ readonly kept: readonly Kept[]; readonly withheld: readonly Kind[] }> {
  const { app } = call;
  const kept: Kept[] = [];
  const withheld = new Set<Kind>();
  const keep = (kind: Kind, records: readonly Listed[]) => {
    for (const value of records) kept.push({ kind, id: value.objectId, value });
    return records;
  };
  const list = async (kind: Kind, path: string, where: Json = {}) => {
    const listed = await listAs(server, call, { kind, path, where });
    if (listed === undefined) withheld.add(kind);
    return listed ?? [];
  };
  const listOf = async (kind: Kind, path: string, member: string, named: readonly unknown[]) => {
    const found = new Map<string, Listed>();
    for (let from = 0; from < named.length; from += namedAtOnce)
      for (const one of await list(kind, path, { [member]: { $in: named.slice(from, from + namedAtOnce) } }))
        found.set(one.objectId, one);
    return [...found.values()];
  };
  const heard = await listOf('beacons', '/beacons', 'objectId', near);
  const around = spot && (await venuesNear(server, call, spot));
  const isPart = venues !== undefined || near.length > 0 || around !== undefined;
  const asked = isPart ? [...new Set([...(venues ?? []), ...heard.flatMap(venueOf), ...(around ?? [])])] : undefined;
  const within = asked?.map(pointer('Venue'));
  const ofVenues = (kind: Kind, path: string) => (within ? listOf(kind, path, 'venueId', within) : list(kind, path));
  keep('venues', asked ? await listOf('venues', '/venues', 'objectId', asked) : await list('venues', '/venues'));
  const floors = keep('floors', await ofVenues('floors', '/floors'));
  keep('zones', await ofVenues('zones', '/zones'));
  const own = [...(await ofVenues('beacons', '/beacons')), ...heard.filter((one) => venueOf(one).length === 0)];
  const beacons = keep('beacons', own);
  const ids = beacons.map(({ objectId }) => objectId);
  const at = ids.map(pointer('Beacon'));
  const notifications = keep(
    'notifications',
    within
      ? await listOf('notifications', '/notifications', 'beaconId', at)
      : await list('notifications', '/notifications'),
  );
  const scenarios = keep(
    'scenarios',
    within
      ? await listOf('scenarios', '/storylines/details', 'beacons', ids)
      : await list('scenarios', '/storylines/details'),
  );
  const headers = [...new Set(scenarios.map(({ storylineId }) => storylineId))];
  keep('storylines', await listOf('storylines', '/storylines', 'objectId', headers));
  if (app.policy.oneZone) {
    for (const [beaconId, learned] of await learnedOf(db, app.appId, ids))
      kept.push({ kind: 'radio', id: beaconId, value: { beaconId, ...learned } });
    for (const [beaconId, map] of await signalsOf(db, app.appId, ids))
      kept.push({ kind: 'signals', id: beaconId, value: { beaconId, ...map } });
  }
  const planned = floors.flatMap(({ plan }) => (plan as { readonly fileId: string } | undefined)?.fileId ?? []);
  const plans = keep('files', await listOf('files', '/files', 'objectId', [...new Set(planned)]));
  for (const url of new Set([notifications, scenarios, plans].flatMap((records) => picturesIn(records))))
    kept.push({ kind: 'pictures', id: url, value: url });
  return { kept, withheld: kinds.filter((kind) => withheld.has(kind)) };
}

function venueOf({ venueId }: Listed): string[] {
  const { objectId } = (venueId ?? {}) as { readonly objectId?: string };
  return objectId === undefined ? [] : [objectId];
}

interface Asked {
  readonly kind: Kind;
  readonly path: string;
  readonly where: Json;
}

/** All of a list that the caller may read, oldest first; undefined for one that it may not read, or not enough of to decide by. */
async function listAs(server: FastifyInstance, call: Call<unknown, unknown>, { kind, path, where }: Asked) {
  const all: Listed[] = [];
  for (;;) {
    const last = all.at(-1)?.objectId;
    const behind = last === undefined ? where : { $and: [where, { objectId: { $gt: last } }] };
    const query = { where: JSON.stringify(behind), order: 'objectId', limit: String(pageSize) };
    const page = await pageAs<Listed>(server, call, { path, query });
    if (page === undefined) return undefined;
    all.push(...page.results);
    if (all.length > maxBeacons) throw tooMuch(kind);
    if (page.results.length < pageSize && !page.truncated) return isDecidable(kind, call) ? all : undefined;
  }
}

const tooMuch = (kind: Kind) =>
  fail(
    'ValidationError',
    `There are more than ${maxBeacons} ${kind}, which is too much for a phone. Name fewer venues.`,
  );

function isDecidable(kind: Kind, call: Call<unknown, unknown>): boolean {
  if (kind === 'radio' || kind === 'signals' || kind === 'pictures') return true;
  const rules = call.app.rules.of(kind);
  const hidden = rules.hasMembers ? rules.hiddenFrom(call) : [];
  return !hidden.some((name) => decisive[kind]?.some((member) => name === member || name.startsWith(`${member}.`)));
}

const addresses = ['url', 'urlImageAndroid', 'urlImageIOS'] as const;

/** Addresses of what is shown with messages, in all their languages and variants. */
function picturesIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string') return addresses.some((one) => one === name) && value !== '' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => picturesIn(member, key));
}
