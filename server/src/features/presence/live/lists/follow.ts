import { fail } from '../../../../base/errors.ts';
import type { Call, FollowedList } from '../../../../http/endpoint.ts';
import { StreamAnswer } from '../../../../http/streams/stream-answer.ts';
import type { Followers } from './followers.ts';
import { namePattern } from './steps.ts';

/** The error for a path that is no list. */
export const noList = () =>
  fail('InvalidQuery', 'list must be the path of a list below /api/v2, such as beacons or data/bucket/guestbook.');

/**
 * Follows the list that a request names.
 *
 * @throws Failure InvalidQuery, APICallLimit, and as the list does
 */
export async function followByCall(
  followers: Pick<Followers, 'open'>,
  call: Call<unknown, unknown>,
  list: FollowedList,
): Promise<StreamAnswer> {
  const { app, user, secretKey, administrator, query, headers, address } = call;
  if (list.query['kinds'] !== undefined) throw fail('InvalidQuery', 'Send either list or kinds.');
  const refused = ['skip', 'count'].find((name) => query[name] !== undefined);
  if (refused !== undefined || query['limit'] === '0')
    throw fail('InvalidQuery', `A list is followed from its beginning: leave out ${refused ?? 'limit=0'}.`);
  const cursor = String(headers['last-event-id'] ?? list.query['after'] ?? '') || undefined;
  if (cursor !== undefined && !namePattern.test(cursor))
    throw fail('InvalidQuery', 'after and Last-Event-ID must be an id that the stream of a list has sent.');
  await list.check();
  const caller = user?.userId ?? secretKey?.keyId ?? administrator;
  return new StreamAnswer(followers.open({ appId: app.appId, address, caller, list, cursor }));
}
