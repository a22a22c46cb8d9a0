import { parseInstant } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { type ErrorName, fail, type Problem } from '../../../../base/errors.ts';
import type { LiveActivities } from '../../../../delivery/push/live-activities.ts';
import { notSetUp } from '../../../../delivery/push/not-set-up.ts';
import type { SendResult } from '../../../../delivery/push/push-sender.ts';
import { deletedAnswer, recordAnswer } from '../../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import { defineShape, sentence } from '../../../../http/shape.ts';
import type { Context } from '../../../context.ts';
import { pushes } from '../resource.ts';

/**
 * Live Activities of iOS. Each call goes to APNs at once and is answered with what became of it: an update is worthless a moment later, so
 * nothing is stored and nothing is tried again. Their tokens are the app's own affair.
 */

const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
const instant = (description: string) => Type.Optional(Type.String({ description: `${description}, ISO 8601` }));

const schema = Type.Object({
  event: Type.Enum(['start', 'update', 'end']),
  token: Type.Optional(
    text(400, 'Of the activity, in hexadecimal digits; for a start the push-to-start token of the phone'),
  ),
  channelId: Type.Optional(text(400, 'Instead of a token: all who follow the channel')),
  contentState: Type.Object({}, { additionalProperties: true, description: 'As the app’s ContentState reads it' }),
  attributesType: Type.Optional(text(200, 'For a start: the name of the app’s ActivityAttributes')),
  attributes: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'For a start' })),
  followsChannel: Type.Optional(text(400, 'For a start: the channel that updates it; without it the app gets a token')),
  alert: Type.Optional(
    Type.Object({
      title: Type.Optional(Type.String({ maxLength: 200 })),
      body: Type.Optional(Type.String({ maxLength: 1000 })),
      sound: Type.Optional(Type.String({ maxLength: 100 })),
    }),
  ),
  staleAt: instant('From when on what is shown counts as old'),
  dismissAt: instant('When an ended one goes from the screen; four hours later without it'),
  expiresAt: instant('Until when APNs tries; at once or never without it'),
  relevance: Type.Optional(Type.Number({ minimum: 0, maximum: 1, description: 'Which of several comes first' })),
  urgency: Type.Optional(Type.Enum(['high', 'normal'], { description: 'high by default; iOS limits how often' })),
});
type Body = Static<typeof schema>;

const times = ['staleAt', 'dismissAt', 'expiresAt'] as const;

function problems(body: Partial<Body>): Problem[] {
  const { event, token, channelId, attributesType, attributes, alert } = body;
  const found: Problem[] = times
    .filter((name) => body[name] !== undefined && parseInstant(body[name] ?? '') === undefined)
    .map((field) => ({ field, problem: 'must be an ISO 8601 date and time with a time zone' }));
  if ((token === undefined) === (channelId === undefined))
    found.push({ field: 'token', problem: 'or channelId has to say who gets it, and not both' });
  else if (token !== undefined && !/^[0-9a-fA-F]+$/.test(token))
    found.push({ field: 'token', problem: 'must be hexadecimal digits' });
  if (event !== 'start') return found;
  if (channelId !== undefined)
    found.push({ field: 'channelId', problem: 'cannot start an activity: send the token of a phone' });
  if (attributesType === undefined || attributes === undefined)
    found.push({ field: 'attributesType', problem: 'and attributes are required to start an activity' });
  if (!alert?.title && !alert?.body)
    found.push({ field: 'alert', problem: 'with a text is required to start an activity' });
  return found;
}

const shape = defineShape(schema, { rules: problems });

const example: Body = {
  event: 'update',
  channelId: 'dHN0LXNyY2gtY2hubA==',
  contentState: { minutes: 12 },
  staleAt: '2026-05-04T10:00:00.000Z',
};

const channelShape = defineShape(
  Type.Object({
    keepsLatest: Type.Optional(
      Type.Boolean({ description: 'Who is offline gets the latest update later; for updates that are not frequent' }),
    ),
  }),
);

const path = '/push/live-activity';
const grant = { of: 'pushes', verb: 'create' } as const;
const errors: readonly ErrorName[] = [
  'ValidationError',
  'ObjectNotFound',
  'PreconditionFailed',
  'APICallLimit',
  'Timeout',
];
const sentAnswer = recordAnswer(Type.Object({ state: Type.Literal('sent') }), { state: 'sent' });

export function liveActivityEndpoints({ findSenders, quotas }: Context): Endpoint[] {
  return [
    endpoint<Body>({
      method: 'POST',
      path,
      operationId: 'sendLiveActivity',
      tag: pushes.tag,
      summary: 'Start, update or end a Live Activity of iOS',
      description:
        'It goes to APNs at once, and the answer says whether APNs has taken it. Nothing is stored and nothing is tried again: 503 ' +
        '(124) means that it was not taken now, 404 that the token or channel reaches nobody any more.',
      grant,
      body: shape.body(example),
      answer: sentAnswer,
      errors,
      handle: async (call) => {
        const { body, now } = call;
        quotas.takePush(call);
        const live = await liveOf(findSenders, call.app.appId);
        const target = body.channelId === undefined ? { token: body.token ?? '' } : { channelId: body.channelId };
        const result = await live.send(activityOf(body, now), target, patience());
        assertSent(result, body.channelId === undefined ? 'token' : 'channelId');
        return { result: { state: 'sent' } };
      },
    }),
    endpoint<{ keepsLatest?: boolean }>({
      method: 'POST',
      path: `${path}/channels`,
      operationId: 'createLiveActivityChannel',
      tag: pushes.tag,
      summary: 'Create a channel by which many Live Activities are updated at once',
      description: 'APNs keeps at most 10,000 for an app: delete one whose event is over.',
      grant,
      body: channelShape.body({ keepsLatest: true }),
      answer: {
        ...recordAnswer(Type.Object({ channelId: Type.String() }), { channelId: example.channelId }),
        status: 201,
      },
      errors,
      handle: async (call) => {
        quotas.takePush(call);
        const live = await liveOf(findSenders, call.app.appId);
        const made = await live.createChannel(call.body.keepsLatest ?? false, patience());
        if ('channelId' in made) return { result: { channelId: made.channelId } };
        throw refusal(made, 'keepsLatest');
      },
    }),
    endpoint({
      method: 'DELETE',
      path: `${path}/channels/:channelId`,
      operationId: 'deleteLiveActivityChannel',
      tag: pushes.tag,
      summary: 'Delete a channel of Live Activities',
      grant,
      parameters: { channelId: 'As it was made' },
      answer: deletedAnswer,
      errors,
      handle: async ({ app, params }) => {
        const live = await liveOf(findSenders, app.appId);
        assertSent(await live.deleteChannel(params['channelId'] ?? '', patience()), 'channelId');
        return { result: {} };
      },
    }),
  ];
}

/** The time for one call: somebody waits for the answer. */
const patience = () => AbortSignal.timeout(15_000);

function activityOf({ urgency = 'high', attributesType, attributes, ...body }: Body, now: number) {
  const at = Object.fromEntries(
    times.flatMap((name) => (body[name] === undefined ? [] : [[name, parseInstant(body[name] ?? '')]])),
  );
  const { event, contentState, followsChannel, alert, relevance } = body;
  return {
    ...{ event, contentState, now, urgency },
    ...(attributesType === undefined ? {} : { attributes: { type: attributesType, values: attributes ?? {} } }),
    ...(followsChannel === undefined ? {} : { followsChannel }),
    ...(alert === undefined ? {} : { alert }),
    ...(relevance === undefined ? {} : { relevance }),
    ...at,
  };
}

/** @throws Failure PreconditionFailed where the app has no credentials for APNs */
async function liveOf(findSenders: Context['findSenders'], appId: string): Promise<LiveActivities> {
  const found = (await findSenders(appId)).get('apns');
  if (found && 'problem' in found) throw fail('PreconditionFailed', `${found.problem}.`);
  const live = found?.sender.live;
  if (!live) throw fail('PreconditionFailed', notSetUp.apns);
  return live;
}

function assertSent(result: SendResult, field: string): void {
  if (result.outcome !== 'sent') throw refusal(result, field);
}

function refusal(result: SendResult, field: string) {
  if (result.outcome === 'retry')
    return fail('Timeout', {
      message: `APNs has not taken it now: ${result.reason}`,
      retryAfter: Math.ceil((result.afterMs ?? 1_000) / 1000),
    });
  const reason = 'reason' in result ? result.reason : '';
  if (result.outcome === 'dead') return fail('ObjectNotFound', `${field}: it reaches nobody any more: ${reason}`);
  const details = [{ field, problem: `was refused by APNs: ${reason}` }];
  return fail('ValidationError', { message: sentence(details), details });
}
