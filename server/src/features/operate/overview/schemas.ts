import { type Static, Type } from 'typebox';
import { objectIdSchema, timestampSchema } from '../../../http/answers.ts';
import { type ConditionKind, conditionKinds } from '../../condition.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const orNull = (schema: typeof timestampSchema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

export const liveRecord = Type.Object({
  visitors: count('Installations that are at some beacon now'),
  occupied: count('Beacons with somebody'),
  beacons: Type.Array(
    Type.Object({
      beaconId: objectIdSchema,
      name: Type.Union([Type.String(), Type.Null()], { description: 'null when the beacon is deleted' }),
      visitors: count('Open visits here'),
      since: timestampSchema,
    }),
    { description: 'The 12 with the most visitors; `since` is when the first of them came' },
  ),
});

export const beaconVisitsRecord = Type.Array(
  Type.Object({
    beaconId: objectIdSchema,
    visitors: count('Open visits here'),
    lastVisitAt: timestampSchema,
  }),
  {
    description:
      'Beacons that never had a visit are not among them; `lastVisitAt` is its end, or its beginning while it goes on',
  },
);

export const funnelRecord = Type.Object({
  since: timestampSchema,
  events: count('Confirmed events'),
  eligible: count('Enabled messages for such an event at such a beacon'),
  shown: count('Messages that fired'),
  stopped: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() }), {
    description: 'Why the other eligible ones did not fire, the commonest first',
  }),
  waiting: count('Messages waiting for a dwell'),
  deliveries: Type.Object({
    queued: count('Waiting to be sent'),
    sent: count('Accepted by the push service'),
    failed: count('Refused by the push service'),
    expired: count('Not sent in time'),
    noTarget: count('Without an address; an open app has shown them all the same'),
    cancelled: count('Cancelled'),
    received: count('Of the sent: reported as received'),
    opened: count('Of the sent: reported as opened'),
  }),
});

const webhookTrouble = Type.Object({
  failing: count('Webhooks whose calls have all failed for a day'),
  behind: count('Webhooks whose oldest calls are given up, because too many are waiting'),
  switchedOff: count('Webhooks that the service has switched off because the receiver answered 410 Gone'),
  withoutRight: count(
    'Webhooks that the service has switched off because whoever chose their events lost the right to',
  ),
});
export type WebhookTrouble = Static<typeof webhookTrouble>;

const reach = Type.Object(
  {
    senders: count('Push services that are set up and usable'),
    installations: count('All installations'),
    reachable: count('Those that a push service can be asked to reach'),
    unreachable: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() }), {
      description: 'Why the others are not reached, the commonest first',
    }),
  },
  { description: 'Whom a push to everyone would reach now; every role sees it' },
);
export type ReachSummary = Static<typeof reach>;

const finding = Type.Object({
  kind: Type.Enum(Object.keys(conditionKinds) as ConditionKind[]),
  key: Type.String({ description: 'The same while the condition lasts' }),
  isGrave: Type.Boolean(),
  title: Type.String(),
  text: Type.String(),
});

export const attentionRecord = Type.Object({
  findings: Type.Array(finding, {
    description: 'What needs a person, worst first, in the words of the mails; without what the role may not see',
  }),
  lastVisitAt: orNull(timestampSchema, 'When the newest visit began; null if there was none'),
  tokens: Type.Object({
    installations: count('All installations'),
    dead: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() }), {
      description: 'Installations whose token the push service no longer accepts, by its reason; the 5 most common',
    }),
  }),
  failures: Type.Array(
    Type.Object({
      sender: Type.Union([Type.String(), Type.Null()]),
      reason: Type.String(),
      count: Type.Integer(),
      lastAt: timestampSchema,
    }),
    { description: 'Deliveries of the last 24 hours that failed, by reason; the 5 most common' },
  ),
  webhooks: webhookTrouble,
  reach,
});
