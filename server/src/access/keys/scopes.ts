import { isObject } from '@pharos/query';
import { fail, type Problem } from '../../base/errors.ts';
import {
  bucketRecords,
  limitedByVenue,
  type ResourceName,
  type RuledResource,
  ruledResources,
} from '../rules/presets.ts';
import { type Verb, verbs } from '../rules/rule-types.ts';

/** What a secret key can be for: all that has rules, and what phones and gateways send. */
export type ScopeResource = ResourceName | 'records' | 'sightings' | 'receipts' | 'simulations';

/** One thing that a secret key may do. */
export interface Scope {
  readonly of: ScopeResource;
  readonly verb: Verb;
}

/** As the row of a key keeps them. */
export interface StoredScope {
  readonly resource: ScopeResource;
  readonly verbs: readonly Verb[];
  /** Of records: only those of these buckets. */
  readonly buckets?: readonly string[];
  /** Only of what belongs to these venues. */
  readonly venues?: readonly string[];
  /** Of sightings: only what these gateways have heard. */
  readonly gateways?: readonly string[];
}

const verbsOf = ({ verbs: possible }: RuledResource) => verbs.filter((verb) => possible[verb] !== undefined);

/** Every scope that there is, by resource: one for each thing that an endpoint lets a secret key do. */
export const scopeVerbs: Readonly<Record<ScopeResource, readonly Verb[]>> = Object.freeze({
  ...(Object.fromEntries(
    Object.entries(ruledResources).map(([name, resource]) => [name, verbsOf(resource)]),
  ) as unknown as Record<ResourceName, readonly Verb[]>),
  records: verbsOf(bucketRecords),
  sightings: ['create'],
  receipts: ['create'],
  simulations: ['create'],
});

const maxScopes = 100;
const maxBuckets = 100;
const maxVenues = 100;
const maxGateways = 100;
export const bucketName = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;
const venueId = /^[A-Za-z0-9_-]{1,40}$/;
/** See `gateway` of a batch of sightings. */
const gatewayName = /^[^/]{1,200}$/;

/**
 * Reads scopes as a person or a program gives them.
 *
 * @throws Failure ValidationError that names everything that is wrong
 */
export function readScopes(given: unknown): readonly StoredScope[] {
  const problems: Problem[] = [];
  const list = Array.isArray(given) ? given : [];
  if (list.length === 0) problems.push({ field: 'scopes', problem: 'must be a list of at least one scope' });
  if (list.length > maxScopes) problems.push({ field: 'scopes', problem: `must have at most ${maxScopes} elements` });
  const scopes = list.slice(0, maxScopes).map((each, index) => readScope(each, `scopes.${index}`, problems));
  if (problems.length > 0) {
    const [first] = problems;
    throw fail('ValidationError', { message: `${first?.field} ${first?.problem}.`, details: problems.slice(0, 50) });
  }
  return scopes;
}

function readScope(given: unknown, at: string, problems: Problem[]): StoredScope {
  const scope = isObject(given) ? given : {};
  const complain = (field: string, problem: string) => void problems.push({ field, problem });
  if (!isObject(given)) complain(at, 'must be a JSON object with resource and verbs');
  for (const name of Object.keys(scope))
    if (!['resource', 'verbs', 'buckets', 'venues', 'gateways'].includes(name))
      complain(`${at}.${name}`, 'is not known; a scope has resource, verbs, buckets, venues and gateways');
  const resource = scope['resource'] as ScopeResource;
  const possible = Object.hasOwn(scopeVerbs, String(resource)) ? scopeVerbs[resource] : undefined;
  const asked = Array.isArray(scope['verbs']) ? [...new Set<unknown>(scope['verbs'])] : [];
  if (isObject(given) && !possible)
    complain(`${at}.resource`, `must be one of ${Object.keys(scopeVerbs).sort().join(', ')}`);
  if (possible && (asked.length === 0 || !asked.every((verb) => (possible as readonly unknown[]).includes(verb))))
    complain(`${at}.verbs`, `must be a list of ${possible.join(', ')}`);
  const buckets = readBuckets(scope, `${at}.buckets`, complain);
  const venues = readVenues(scope, asked, `${at}.venues`, complain);
  const gateways = readGateways(scope, `${at}.gateways`, complain);
  const chosen = verbs.filter((verb) => asked.includes(verb));
  const limits = { ...(buckets ? { buckets } : {}), ...(venues ? { venues } : {}), ...(gateways ? { gateways } : {}) };
  return { resource, verbs: chosen, ...limits };
}

type Complain = (field: string, problem: string) => void;

/** Events are sent to all listeners before their venue is known. */
function readVenues(
  { resource, venues }: Readonly<Record<string, unknown>>,
  asked: readonly unknown[],
  at: string,
  complain: Complain,
): readonly string[] | undefined {
  if (venues === undefined || venues === null) return undefined;
  const isList = Array.isArray(venues) && venues.length > 0 && venues.length <= maxVenues;
  if (!limitedByVenue.has(String(resource))) complain(at, `is only for ${[...limitedByVenue].sort().join(', ')}`);
  else if (asked.includes('listen')) complain(at, 'cannot limit listen; make a scope without it');
  else if (!isList || !venues.every((id) => typeof id === 'string' && venueId.test(id)))
    complain(at, `must be a list of 1 to ${maxVenues} objectIds of venues; leave it out for all of the app`);
  return isList ? [...new Set(venues as string[])] : undefined;
}

function readBuckets(
  { resource, buckets }: Readonly<Record<string, unknown>>,
  at: string,
  complain: Complain,
): readonly string[] | undefined {
  if (buckets === undefined || buckets === null) return undefined;
  const isList = Array.isArray(buckets) && buckets.length > 0 && buckets.length <= maxBuckets;
  if (resource !== 'records') complain(at, 'is only for records');
  else if (!isList || !buckets.every((name) => typeof name === 'string' && bucketName.test(name)))
    complain(at, `must be a list of 1 to ${maxBuckets} names of buckets; leave it out for all buckets`);
  return isList ? [...new Set(buckets as string[])] : undefined;
}

function readGateways(
  { resource, gateways }: Readonly<Record<string, unknown>>,
  at: string,
  complain: Complain,
): readonly string[] | undefined {
  if (gateways === undefined || gateways === null) return undefined;
  const isList = Array.isArray(gateways) && gateways.length > 0 && gateways.length <= maxGateways;
  if (resource !== 'sightings') complain(at, 'is only for sightings');
  else if (!isList || !gateways.every((name) => typeof name === 'string' && gatewayName.test(name)))
    complain(at, `must be a list of 1 to ${maxGateways} names of gateways; leave it out for phones and all gateways`);
  return isList ? [...new Set(gateways as string[])] : undefined;
}

/**
 * A scope as one text: `sightings:create`, `sightings/hall+shop:create`, `visits:list,get`, `records/notes+birds:list`,
 * `beacons@VENUE1+VENUE2:list`.
 *
 * @throws Failure ValidationError for a text of another form
 */
export function parseScope(text: string): unknown {
  const parts = /^([a-z]+)(?:\/([\w.+-]+))?(?:@([\w+-]+))?:([a-z,]+)$/.exec(text.trim());
  if (!parts) {
    const problem = 'must look like sightings:create, visits:list,get, records/notes+birds:list or beacons@VENUE:list';
    throw fail('ValidationError', { message: `"${text}" ${problem}.`, details: [{ field: 'scopes', problem }] });
  }
  const [, resource, names, venues, asked = ''] = parts;
  const limits = {
    ...(names ? { [resource === 'sightings' ? 'gateways' : 'buckets']: names.split('+') } : {}),
    ...(venues ? { venues: venues.split('+') } : {}),
  };
  return { resource, verbs: asked.split(','), ...limits };
}

export function scopeText({ resource, verbs: allowed, buckets, venues, gateways }: StoredScope): string {
  const names = buckets ?? gateways;
  return `${resource}${names ? `/${names.join('+')}` : ''}${venues ? `@${venues.join('+')}` : ''}:${allowed.join(',')}`;
}

/** What one scope of a key leaves of a resource; undefined: all of it. */
interface Part {
  readonly buckets: ReadonlySet<string> | undefined;
  readonly venues: ReadonlySet<string> | undefined;
  readonly gateways: ReadonlySet<string> | undefined;
}

/** Two scopes for the same resource: what either allows. */
const either = (one: Part, other: Part): Part => ({
  buckets: joined(one.buckets, other.buckets),
  venues: joined(one.venues, other.venues),
  gateways: joined(one.gateways, other.gateways),
});
const joined = (one: Part['buckets'], other: Part['buckets']) => one && other && new Set([...one, ...other]);
const setOf = (names: readonly string[] | undefined) => names && new Set(names);

export class Scopes {
  /** By `resource:verb`. */
  readonly #allowed = new Map<string, Part>();

  constructor(stored: readonly StoredScope[]) {
    for (const { resource, verbs: allowed, ...limits } of stored)
      for (const verb of allowed) {
        const key = `${resource}:${verb}`;
        const known = this.#allowed.get(key);
        const part = { buckets: setOf(limits.buckets), venues: setOf(limits.venues), gateways: setOf(limits.gateways) };
        this.#allowed.set(key, known ? either(known, part) : part);
      }
  }

  /** Whether the key has it at all, for some buckets and venues or for all. */
  has({ of, verb }: Scope): boolean {
    return this.#allowed.has(`${of}:${verb}`);
  }

  /** @param bucket of records: the bucket that the request is about */
  include({ of, verb }: Scope, bucket = ''): boolean {
    const part = this.#allowed.get(`${of}:${verb}`);
    return part !== undefined && (part.buckets?.has(bucket) ?? true);
  }

  /** The venues to which the key is limited for this; undefined: none, or no such scope. */
  venues({ of, verb }: Scope): readonly string[] | undefined {
    const venues = this.#allowed.get(`${of}:${verb}`)?.venues;
    return venues && [...venues];
  }

  /** The gateways to which the key is limited for this; undefined: none, or no such scope. */
  gateways({ of, verb }: Scope): ReadonlySet<string> | undefined {
    return this.#allowed.get(`${of}:${verb}`)?.gateways;
  }
}
