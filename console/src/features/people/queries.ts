import { operations, type Query } from '@pharos/sdk';
import { queryOptions } from '@tanstack/react-query';
import { call, dataKey, dataOf, dataQuery, queryOf } from '../../lib/data/api.ts';
import { ofPhones, ofUser } from '../../lib/data/person.ts';

/** A page of users with their roles, which the list for apps does not include. */
export async function listUsers(appId: string, query: Query, signal?: AbortSignal) {
  const page = await call('listAppUsers', { params: { appId }, query, ...(signal ? { signal } : {}) });
  // As it is changed.
  return { ...page, results: page.results.map((user) => ({ ...user, disabled: user.disabledAt !== undefined })) };
}

const maxPhones = 20;

/** What has to be read again when users change. */
export const userKeys = (appId: string) => [dataKey(appId, 'listUsers'), dataKey(appId, 'listInstallations')];

/** The phones of a user, the newest first. */
export const phonesOfQuery = (appId: string, userId: string) =>
  dataQuery(appId, 'listInstallations', ['of-user', userId], (data) =>
    data.installations.list({ where: ofUser(userId), order: '-objectId', limit: maxPhones, count: 1 }),
  );

export const installationQuery = (appId: string, installationId: string) =>
  dataQuery(appId, 'getInstallation', [installationId], (data) => data.installations.get(installationId));

/** What has to be read again when installations change. */
export const installationKeys = (appId: string) => [
  dataKey(appId, 'listInstallations'),
  dataKey(appId, 'getInstallation'),
];

/** What was learned about how loud an installation hears beacons; null: nothing yet. */
export const hearingQuery = (appId: string, installationId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'getInstallation', installationId, 'hearing'),
    queryFn: async ({ signal }) => {
      const { result } = await call('listHearing', { params: { appId }, query: { installationId }, signal });
      return result.find((one) => one.installationId === installationId) ?? null;
    },
  });

/** What keeps the phones of an app from hearing beacons. */
export const sensingQuery = (appId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listInstallations', 'sensing'),
    queryFn: async ({ signal }) => (await call('countSensing', { params: { appId }, signal })).result,
  });

const maxHappened = 20;

/** The latest visits, events, verdicts and deliveries of a person's phones. */
export const happenedQuery = (appId: string, phones: readonly string[]) =>
  queryOptions({
    queryKey: dataKey(appId, 'listVisits', 'of-phones', phones),
    queryFn: async ({ signal }) => {
      const { call } = dataOf(appId);
      const where = ofPhones(phones);
      const query = { where, limit: maxHappened } as const;
      // Messages for another event or beacon were never meant.
      const meant = { ...where, reason: { $nin: ['event', 'beacon'] } };
      const [visits, events, verdicts, deliveries] = await Promise.all([
        call(operations.listVisits, { query, signal }),
        call(operations.listEvents, { query: { ...query, where: { ...where, event: { $ne: 'FAR' } } }, signal }),
        call(operations.listVerdicts, { query: { where: meant, order: '-objectId', limit: 10 * maxHappened }, signal }),
        call(operations.listDeliveries, { query, signal }),
      ]);
      return { visits, events, verdicts: verdicts.results, deliveries };
    },
  });

/** What a user proves beside a password or instead of it. */
export const factorsQuery = (appId: string, userId: string) =>
  queryOptions({
    queryKey: dataKey(appId, 'listUsers', 'factors', userId),
    queryFn: async () => {
      const params = { appId, userId };
      const [state, passkeys] = await Promise.all([
        call('getAppUserFactors', { params }),
        call('listAppUserPasskeys', { params }),
      ]);
      return { ...state.result, passkeys: passkeys.results };
    },
  });

/** Where a user is signed in, newest first. */
export const sessionsQuery = (appId: string, userId: string) =>
  queryOf(dataKey(appId, 'listUsers', 'sessions', userId), 'listAppUserSessions', { params: { appId, userId } });
