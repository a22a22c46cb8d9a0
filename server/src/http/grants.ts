import type { Scope } from '../access/keys/scopes.ts';
import type { SecretKey } from '../access/keys/secret-key.ts';
import { defaultPolicy } from '../access/policy.ts';
import type { RuleUser } from '../access/rules/rule-types.ts';
import { type AppRules, compileRules, type ResourceRules } from '../access/rules/rules.ts';
import { fail } from '../base/errors.ts';
import type { Endpoint, Grant, Ruled } from './endpoint.ts';

type Params = Readonly<Record<string, string | undefined>>;

/** The rules of an app that has changed nothing, which the document shows. */
export const defaultRules: AppRules = compileRules({}, defaultPolicy);

export function rulesFor({ of }: Ruled, rules: AppRules, params: Params): ResourceRules {
  return of === 'bucket' ? rules.bucket(params['bucketName'] ?? '') : rules.of(of);
}

/** Who may call an endpoint of this app at all. */
export function grantOf(
  { grant }: Pick<Endpoint, 'grant'>,
  rules: AppRules = defaultRules,
  params: Params = {},
): Grant {
  if (typeof grant === 'string') return grant;
  const ruled = rulesFor(grant, rules, params);
  const { gate } = ruled.rules[grant.verb];
  if (gate !== 'open') return gate;
  // What is hidden from some has to be shown to others, so that it matters who reads.
  const isReading = grant.verb === 'list' || grant.verb === 'get';
  return isReading && ruled.hasMembers ? 'visitor' : (grant.open ?? 'visitor');
}

/** A bearer may be left out; for `app` it is not even read. */
export const isOpen = (grant: Grant) => grant === 'app' || grant === 'phone' || grant === 'visitor';

/** @param user who has signed in, unless the grant is open @throws Failure OperationForbidden */
export function assertGranted(grant: Grant, user: RuleUser | undefined): void {
  if (grant === 'nobody' || (grant === 'manager' && user?.role !== 'manager')) throw fail('OperationForbidden');
}

/** The scopes of which a secret key needs one to call an endpoint; empty for those that are for people who sign in. */
export function scopesOf({ grant, scopes = [] }: Pick<Endpoint, 'grant' | 'scopes'>): readonly Scope[] {
  if (typeof grant === 'string') return scopes;
  return [{ of: grant.of === 'bucket' ? 'records' : grant.of, verb: grant.verb }];
}

/**
 * Within its scopes a secret key passes every rule but `nobody`.
 *
 * @throws Failure OperationForbidden that names the missing scope
 */
export function assertInScope(
  endpoint: Pick<Endpoint, 'grant' | 'scopes' | 'operationId' | 'tag'>,
  { name, scopes }: Pick<SecretKey, 'name' | 'scopes'>,
  { bucketName }: Params,
): void {
  const needed = scopesOf(endpoint);
  const held = needed.find((scope) => scopes.include(scope, bucketName));
  if (held && scopes.venues(held) && !isByVenue(endpoint))
    throw fail(
      'OperationForbidden',
      `The secret key ${name} is limited to some venues, and this is about the app as a whole.`,
    );
  if (held) return;
  if (needed.length === 0)
    throw fail('OperationForbidden', 'No secret key can do this: it is for the person who signs in.');
  const where = bucketName === undefined ? '' : ` in the bucket ${bucketName}`;
  const missing = needed.map(({ of, verb }) => `${of}:${verb}`).join(' or ');
  throw fail('OperationForbidden', `The secret key ${name} does not have the scope ${missing}${where}.`);
}

/**
 * A floor's plan is uploaded and read as a file; of analytics, everything but what messages led to is counted by venue; simulated
 * visitors walk across a floor.
 */
const alsoByVenue: ReadonlySet<string> = new Set([
  'uploadFile',
  'getFile',
  'getVisitNumbers',
  'getForecast',
  'getZoneForecasts',
  'getFlows',
  'getPaths',
  'getPeaks',
  'simulateWalks',
]);

/** Whether those who are limited to venues reach it: what it shows and accepts is restricted to theirs. */
export function isByVenue({ operationId, tag }: Pick<Endpoint, 'operationId' | 'tag'>): boolean {
  return tag.console?.byVenue === true || alsoByVenue.has(operationId);
}
