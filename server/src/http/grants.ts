import { defaultPolicy } from '../access/policy.ts';
import type { RuleUser } from '../access/rules/rule-types.ts';
import { type AppRules, compileRules, type ResourceRules } from '../access/rules/rules.ts';
import { fail } from '../base/errors.ts';
import type { Endpoint, Grant, Ruled } from './endpoint.ts';

type Params = Readonly<Record<string, string | undefined>>;

/** The rules of an app that has changed nothing, by which the interface is documented. */
export const defaultRules: AppRules = compileRules({}, defaultPolicy);

/** The rules for the records that an endpoint is about. */
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
  const { gate } = rulesFor(grant, rules, params).rules[grant.verb];
  return gate === 'open' ? (grant.open ?? 'visitor') : gate;
}

/** A bearer may be left out; for `app` it is not even read. */
export const isOpen = (grant: Grant) => grant === 'app' || grant === 'phone' || grant === 'visitor';

/** @param user who has signed in, unless the grant is open @throws Failure OperationForbidden */
export function assertGranted(grant: Grant, user: RuleUser | undefined): void {
  if (grant === 'nobody' || (grant === 'manager' && user?.role !== 'manager')) throw fail('OperationForbidden');
}
