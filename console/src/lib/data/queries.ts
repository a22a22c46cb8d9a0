import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { byName } from './all-records.ts';
import { call, callAsAnybody } from './api.ts';
import { dataKey } from './listed.ts';
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

export const setupQuery = queryOptions({
  queryKey: ['setup'],
  queryFn: async () => (await call('getSetup')).result,
});

export const appsQuery = queryOptions({
  queryKey: ['apps'],
  queryFn: async () => byName((await call('listApps')).results),
});

/** The storage use and quotas of an app. */
export const usageOfAppQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'usage'],
    queryFn: async () => (await call('getAppUsage', { params: { appId } })).result,
  });

export const appQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId],
    queryFn: async () => (await call('getApp', { params: { appId } })).result,
  });

/** Who may read and write what. */
export const rulesQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'rules'],
    queryFn: async () => (await call('getAppRules', { params: { appId } })).result,
  });

/** What other rules would have refused, and those that would close the app. */
export const dryRunQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'rules', 'dry-run'],
    queryFn: async () => (await call('getDryRun', { params: { appId } })).result,
  });

/** A user of an app, as administrators see one. */
export const appUserQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listUsers', 'one', userId),
    queryFn: async () => (await call('getAppUser', { params: { appId, userId } })).result,
  });

export const keysQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'keys'],
    queryFn: async () => (await call('listKeys', { params: { appId } })).results,
  });

export const secretKeysQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'secret-keys'],
    queryFn: async () => (await call('listSecretKeys', { params: { appId } })).results,
  });

export const bucketsQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'buckets'],
    queryFn: async () => (await call('listBuckets', { params: { appId } })).results,
  });

export const administratorsQuery = queryOptions({
  queryKey: ['administrators'],
  queryFn: async () => byName((await call('listAdministrators')).results),
});

/** How the signed-in administrator signs in. */
export const factorsQuery = queryOptions({
  queryKey: ['account', 'factors'],
  queryFn: async () => (await call('getOwnFactors')).result,
});

/** Where the signed-in administrator is signed in. */
export const ownSessionsQuery = queryOptions({
  queryKey: ['account', 'sessions'],
  queryFn: async () => (await call('listOwnSessions')).results,
});

export const ownAgentsQuery = queryOptions({
  queryKey: ['account', 'agents'],
  queryFn: async () => (await call('listOwnAgents')).results,
});

/** Through whom one can sign in. */
export const ownAlertsQuery = queryOptions({
  queryKey: ['session', 'alerts'],
  queryFn: async () => (await call('getOwnAlerts')).result,
});

export const waysQuery = queryOptions({
  queryKey: ['ways to sign in'],
  queryFn: async () => (await call('listSignInProviders')).result,
});

/** Through whom the signed-in administrator signs in. */
export const ownIdentitiesQuery = queryOptions({
  queryKey: ['account', 'identities'],
  queryFn: async () => (await call('listOwnIdentities')).result,
});

/** The phones on which the signed-in administrator tests messages. */
export const ownPhonesQuery = (appId: string) =>
  queryOptions({
    queryKey: ['account', 'phones', appId],
    queryFn: async () => (await call('listOwnPhones', { params: { appId } })).result,
  });

/** What every administrator needs. */
export const securityQuery = queryOptions({
  queryKey: ['security'],
  queryFn: async () => (await call('getSecurity')).result,
});

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async () => (await call('listInvitations')).results,
});

const auditPageSize = 50;

/** The filter of the audit. */
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
