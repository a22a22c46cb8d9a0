import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import type { Call, FollowedList } from '../../../http/endpoint.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { eventStreamType, StreamAnswer } from '../../../http/streams/stream-answer.ts';
import { listParameters } from '../../../resources/lists/list.ts';
import { domainEventTypes, liveEventTypes } from '../../domain-event.ts';
import type { Feed } from './feed.ts';
import type { Followers } from './lists/followers.ts';
import { namePattern } from './lists/steps.ts';
import { plainNumbers, readNumbersKey, secretNumbers } from './numbers.ts';
import { heardScopes, hearsOfAll, type ShowDeps, showEvents } from './shown-events.ts';

/** The error for a path that is no list. */
const noList = () =>
  fail('InvalidQuery', 'list must be the path of a list below /api/v2, such as beacons or data/bucket/guestbook.');

/**
 * Follows the list that a request names.
 *
 * @throws Failure InvalidQuery, APICallLimit, and as the list does
 */
async function followByCall(
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

const tag: Tag = {
  name: 'Stream',
  description: 'What happens, as it happens.',
  place: 130,
  console: { read: 'activity.read' },
};

const example = [
  'retry: 2000\n\n',
  'id: 41\nevent: ready\ndata: {}\n\n',
  'id: 42\nevent: presence.enter\ndata: {"timestamp":"2026-05-04T09:30:00.000Z","data":{"event":"ENTER"}}\n\n',
].join('');

export interface Streams {
  readonly feed: Pick<Feed, 'open'>;
  readonly followers: Pick<Followers, 'open'>;
}

/** What happens in an app, as it happens. */
export function liveEndpoints({ feed, followers }: Streams, deps: ShowDeps): Endpoint[] {
  let key: Promise<string> | undefined;
  const numbersFor = async (caller: Caller) => {
    if (hearsOfAll(caller)) return plainNumbers;
    key ??= readNumbersKey(deps.db).catch((error: unknown) => {
      key = undefined;
      throw error;
    });
    const { app, user, secretKey } = caller;
    return secretNumbers(await key, `${app.appId} ${user?.userId ?? secretKey?.keyId}`);
  };
  return [
    endpoint({
      method: 'GET',
      path: '/stream',
      operationId: 'streamEvents',
      tag,
      summary: 'Listen to what happens, or to what changes in a list, as server-sent events',
      description:
        'Events: presence.enter, presence.exit, presence.zone, place.enter, place.exit, visit.opened, visit.closed, visit.updated, message.fired, ' +
        'push.progress, push.finished, occupancy.exceeded, occupancy.cleared and, if `kinds` names it, position.changed (where visitors are, as often as their phones ' +
        'report), each with `timestamp` and `data`. `ready` comes first; what happens after it is sent. `lost` says that ' +
        'events between the last number and its own are no longer kept. Numbers count for one app; whoever does not hear of all events is ' +
        'told numbers that do not count. Users ' +
        'receive events of their own installations only, managers of all, secret keys those that their scopes listen to. ' +
        'With `list` it follows a list instead, for whoever may read that: `list` has its records, as the list answers them, and then ' +
        '`left` names a record (`objectId`), and `entered` and `changed` have one (`result`) and the objectId of the one before it ' +
        '(`after`, null for the first). The id names a state of the list; sent back, it is answered with `ready` if that is still the ' +
        'state, and otherwise with `list`.',
      followsLists: true,
      grant: 'user',
      scopes: heardScopes,
      query: [
        {
          name: 'list',
          description: 'The path of a list below /api/v2 that is to be followed, such as data/bucket/guestbook',
          schema: Type.String({ maxLength: 200 }),
        },
        ...listParameters.filter(({ name }) => ['where', 'order', 'limit'].includes(name)),
        {
          name: 'after',
          description: 'Go on behind what has this id, like the header Last-Event-ID, which wins',
          schema: Type.String({ maxLength: 22 }),
        },
        {
          name: 'kinds',
          description: 'Only these events, separated by commas. Without it all but position.changed',
          schema: Type.String(),
        },
      ],
      answer: {
        status: 200,
        description: 'Server-sent events, until one of the two hangs up.',
        type: eventStreamType,
        schema: Type.String(),
        example,
      },
      errors: ['InvalidQuery', 'ObjectNotFound', 'Timeout'],
      handle: async (call) => {
        if (call.followed) return followByCall(followers, call, call.followed);
        const { app, query, headers, address } = call;
        if (query['list'] !== undefined) throw noList();
        const after = readNumber(String(headers['last-event-id'] ?? query['after'] ?? ''));
        const kinds = readKinds(query['kinds']) ?? usual;
        const show = showEvents(call, deps);
        const numbers = await numbersFor(call);
        return new StreamAnswer(feed.open({ appId: app.appId, address, after, kinds, show, numbers }));
      },
    }),
  ];
}

const eventTypes: ReadonlySet<string> = new Set([...domainEventTypes, ...liveEventTypes]);
/** The kinds sent by default. Positions come as often as phones report, and only on request. */
const usual: ReadonlySet<string> = new Set(domainEventTypes);

/** @throws Failure InvalidQuery */
function readKinds(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const kinds = text.split(',');
  const unknown = kinds.find((kind) => !eventTypes.has(kind));
  if (unknown === undefined) return new Set(kinds);
  throw fail(
    'InvalidQuery',
    'kinds must be names of events, separated by commas, such as presence.enter,visit.opened.',
  );
}

/** @throws Failure InvalidQuery */
function readNumber(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw fail('InvalidQuery', 'after and Last-Event-ID must be the number of an event.');
}
