import { fail, type Problem } from '../../base/errors.ts';
import { isObject } from '../../base/is-object.ts';
import { bucketRecords, type ResourceName, type RuledResource, ruledResources } from '../rules/presets.ts';
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

const mostScopes = 100;
const mostBuckets = 100;
const bucketName = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;

/**
 * Reads scopes as a person or a program gives them.
 *
 * @throws Failure ValidationError that names everything that is wrong
 */
export function readScopes(given: unknown): readonly StoredScope[] {
  const problems: Problem[] = [];
  const list = Array.isArray(given) ? given : [];
  if (list.length === 0) problems.push({ field: 'scopes', problem: 'must be a list of at least one scope' });
  if (list.length > mostScopes) problems.push({ field: 'scopes', problem: `must have at most ${mostScopes} elements` });
  const scopes = list.slice(0, mostScopes).map((each, index) => readScope(each, `scopes.${index}`, problems));
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
    if (!['resource', 'verbs', 'buckets'].includes(name))
      complain(`${at}.${name}`, 'is not known; a scope has resource, verbs and buckets');
  const resource = scope['resource'] as ScopeResource;
  const possible = Object.hasOwn(scopeVerbs, String(resource)) ? scopeVerbs[resource] : undefined;
  const asked = Array.isArray(scope['verbs']) ? [...new Set<unknown>(scope['verbs'])] : [];
  if (isObject(given) && !possible)
    complain(`${at}.resource`, `must be one of ${Object.keys(scopeVerbs).sort().join(', ')}`);
  if (possible && (asked.length === 0 || !asked.every((verb) => (possible as readonly unknown[]).includes(verb))))
    complain(`${at}.verbs`, `must be a list of ${possible.join(', ')}`);
  const buckets = readBuckets(scope, `${at}.buckets`, complain);
  return { resource, verbs: verbs.filter((verb) => asked.includes(verb)), ...(buckets ? { buckets } : {}) };
}

function readBuckets(
  { resource, buckets }: Readonly<Record<string, unknown>>,
  at: string,
  complain: (field: string, problem: string) => void,
): readonly string[] | undefined {
  if (buckets === undefined || buckets === null) return undefined;
  const isList = Array.isArray(buckets) && buckets.length > 0 && buckets.length <= mostBuckets;
  if (resource !== 'records') complain(at, 'is only for records');
  else if (!isList || !buckets.every((name) => typeof name === 'string' && bucketName.test(name)))
    complain(at, `must be a list of 1 to ${mostBuckets} names of buckets; leave it out for all buckets`);
  return isList ? [...new Set(buckets as string[])] : undefined;
}

/**
 * A scope as one text: `sightings:create`, `visits:list,get`, `records/notes+birds:list`.
 *
 * @throws Failure ValidationError for a text of another form
 */
export function parseScope(text: string): unknown {
  const parts = /^([a-z]+)(?:\/([\w+]+))?:([a-z,]+)$/.exec(text.trim());
  if (!parts) {
    const problem = 'must look like sightings:create, visits:list,get or records/notes+birds:list';
    throw fail('ValidationError', { message: `"${text}" ${problem}.`, details: [{ field: 'scopes', problem }] });
  }
  const [, resource, buckets, asked = ''] = parts;
  return { resource, verbs: asked.split(','), ...(buckets ? { buckets: buckets.split('+') } : {}) };
}

export function scopeText({ resource, verbs: allowed, buckets }: StoredScope): string {
  return `${resource}${buckets ? `/${buckets.join('+')}` : ''}:${allowed.join(',')}`;
}

/** The scopes of one key, ready to be asked. */
export class Scopes {
  /** By `resource:verb`: the buckets, or all. */
  readonly #allowed = new Map<string, ReadonlySet<string> | 'all'>();

  constructor(stored: readonly StoredScope[]) {
    for (const { resource, verbs: allowed, buckets } of stored)
      for (const verb of allowed) {
        const key = `${resource}:${verb}`;
        const known = this.#allowed.get(key) ?? new Set<string>();
        this.#allowed.set(key, known === 'all' || !buckets ? 'all' : new Set([...known, ...buckets]));
      }
  }

  /** @param bucket of records: the bucket that the request is about */
  include({ of, verb }: Scope, bucket = ''): boolean {
    const buckets = this.#allowed.get(`${of}:${verb}`);
    return buckets === 'all' || (buckets?.has(bucket) ?? false);
  }
}
