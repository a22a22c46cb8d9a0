import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { byName } from './all-records.ts';
import { call, callAsAnybody, dataKey, queryOf } from './api.ts';
import { isSomebodys } from './whose-page.ts';

/** Queries of several pages, with their keys. */

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
  // A page that belongs to somebody asks to sign in again, instead of vanishing.
  queryFn: () => (isSomebodys() ? call('getSession').then(({ result }) => result) : presentSession()),
});

/**
 * The administrator who is signed in in this browser, who may differ from the page's owner after a sign-in in another tab. @throws
 * PharosError
 */
export async function presentSession() {
  return (await callAsAnybody('findSession')).result;
}

export const setupQuery = queryOf(['setup'], 'getSetup');

export const appsQuery = queryOptions({
  queryKey: ['apps'],
  queryFn: async () => byName((await call('listApps')).results),
});

/** The storage use and quotas of an app. */
export const usageOfAppQuery = (appId: string) =>
  queryOf(['apps', appId, 'usage'], 'getAppUsage', { params: { appId } });

export const appQuery = (appId: string) => queryOf(['apps', appId], 'getApp', { params: { appId } });

/** Who may read and write what. */
export const rulesQuery = (appId: string) => queryOf(['apps', appId, 'rules'], 'getAppRules', { params: { appId } });

/** What other rules would have refused, and those that would close the app. */
export const dryRunQuery = (appId: string) =>
  queryOf(['apps', appId, 'rules', 'dry-run'], 'getDryRun', { params: { appId } });

export const appUserQuery = (appId: string, userId: string) =>
  queryOf(dataKey(appId, 'listUsers', 'one', userId), 'getAppUser', { params: { appId, userId } });

export const keysQuery = (appId: string) => queryOf(['apps', appId, 'keys'], 'listKeys', { params: { appId } });

export const secretKeysQuery = (appId: string) =>
  queryOf(['apps', appId, 'secret-keys'], 'listSecretKeys', { params: { appId } });

export const bucketsQuery = (appId: string) =>
  queryOf(['apps', appId, 'buckets'], 'listBuckets', { params: { appId } });

export const administratorsQuery = queryOptions({
  queryKey: ['administrators'],
  queryFn: async () => byName((await call('listAdministrators')).results),
});

/** How the signed-in administrator signs in. */
export const factorsQuery = queryOf(['account', 'factors'], 'getOwnFactors');

/** Where the signed-in administrator is signed in. */
export const ownSessionsQuery = queryOf(['account', 'sessions'], 'listOwnSessions');

export const ownAgentsQuery = queryOf(['account', 'agents'], 'listOwnAgents');

/** Through whom one can sign in. */
export const ownAlertsQuery = queryOf(['session', 'alerts'], 'getOwnAlerts');

export const waysQuery = queryOf(['sign-in-ways'], 'listSignInProviders');

/** Through whom the signed-in administrator signs in. */
export const ownIdentitiesQuery = queryOf(['account', 'identities'], 'listOwnIdentities');

/** The phones on which the signed-in administrator tests messages. */
export const ownPhonesQuery = (appId: string) =>
  queryOf(['account', 'phones', appId], 'listOwnPhones', { params: { appId } });

/** What every administrator needs. */
export const securityQuery = queryOf(['security'], 'getSecurity');

export const invitationsQuery = queryOf(['invitations'], 'listInvitations');

const auditPageSize = 50;

export interface AuditFilter {
  readonly appId?: string;
  readonly actor?: string;
  readonly kind?: string;
  /** An id, such as of a user. */
  readonly about?: string;
  readonly from?: string;
  readonly until?: string;
}

export const auditQuery = (filter: AuditFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam }) => call('listAudit', { query: { ...filter, limit: auditPageSize, before: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
