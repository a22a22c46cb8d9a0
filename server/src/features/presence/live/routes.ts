import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { eventStreamType, StreamAnswer } from '../../../http/stream-answer.ts';
import { domainEventTypes, liveEventTypes } from '../../domain-event.ts';
import type { Feed } from './feed.ts';
import { plainNumbers, readNumbersKey, secretNumbers } from './numbers.ts';
import { heardScopes, hearsOfAll, type ShowDeps, showEvents } from './shown-events.ts';

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

/** What happens in an app, as it happens. */
export function liveEndpoints(feed: Pick<Feed, 'open'>, deps: ShowDeps): Endpoint[] {
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
      summary: 'Listen to what happens, as server-sent events',
      description:
        'Events: presence.enter, presence.exit, presence.zone, place.enter, place.exit, visit.opened, visit.closed, visit.updated, message.fired, ' +
        'push.progress, push.finished, occupancy.exceeded, occupancy.cleared and, if `kinds` names it, position.changed (where visitors are, as often as their phones ' +
        'report), each with `timestamp` and `data`. `ready` comes first; what happens after it is sent. `lost` says that ' +
        'events between the last number and its own are no longer kept. Numbers count for one app; whoever does not hear of all events is ' +
        'told numbers that do not count. Users ' +
        'receive events of their own installations only, managers of all, secret keys those that their scopes listen to.',
      grant: 'user',
      scopes: heardScopes,
      query: [
        {
          name: 'after',
          description: 'Go on behind this number, like the header Last-Event-ID, which wins',
          schema: Type.Integer({ minimum: 0 }),
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
      errors: ['InvalidQuery'],
      handle: async (call) => {
        const { app, query, headers, address } = call;
        const after = readNumber(String(headers['last-event-id'] ?? query['after'] ?? ''));
        const kinds = readKinds(query['kinds']) ?? usual;
        const show = showEvents(call, deps);
        const numbers = await numbersFor(call);
        return new StreamAnswer(feed.open({ appId: app.appId, address, after, kinds, show, numbers }));
      },
    }),
  ];
}

const told: ReadonlySet<string> = new Set([...domainEventTypes, ...liveEventTypes]);
/** Where somebody is comes as often as a phone reports: only for those who ask. */
const usual: ReadonlySet<string> = new Set(domainEventTypes);

/** @throws Failure InvalidQuery */
function readKinds(text: string | undefined): ReadonlySet<string> | undefined {
  if (text === undefined) return undefined;
  const kinds = text.split(',');
  const unknown = kinds.find((kind) => !told.has(kind));
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
