import type { Verdict } from '@pharos/engine';
import type { Content, Decision } from '@pharos/engine/decide';
import { Type } from 'typebox';
import { isProven, notProven } from '../../../../access/installation-proof.ts';
import {
  exampleId,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../../http/answers.ts';
import type {
  AnsweredEvent,
  AnsweredMessage,
  AnsweredNearest,
  Decided,
  Effect,
  Elsewhere,
  Fresh,
  Intake,
  ItemProblem,
  Locked,
  Sender,
} from '../stages/stages.ts';
import { events, kind, shownEvent, verdictCells, verdicts, visitIdMember } from '../traces/events.ts';
import { placeExample, placeMembers } from '../traces/positions.ts';

/** What answers and simulations show: events, messages, verdicts, problems. */

const { createdAt: _recorded, ...eventMembers } = events.record.schema.properties;
const { createdAt: _then, ...eventExample } = events.record.example;

export const eventSchema = Type.Object(eventMembers);

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });

/** Of all beacons, in order of time. */
export function answeredEvents(decisions: readonly Decision[]): AnsweredEvent[] {
  return decisions
    .flatMap(({ events }) => events)
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .map((event) => shownEvent(event) as AnsweredEvent);
}

export const messageSchema = Type.Object({
  deliveryId: Type.String({
    description: 'A push of the same message carries it too: show what has been shown already only once',
  }),
  kind: Type.Enum(['notification', 'scenario']),
  triggerId: objectIdSchema,
  eventId: objectIdSchema,
  event: kind,
  beaconId: pointerSchema('Beacon'),
  visitId: visitIdMember,
  isPushed: Type.Boolean({ description: 'Whether a push is on its way too' }),
  language: Type.Optional(
    Type.String({
      description: "The language that the visitor's localeIdentifier has chosen, where the message says it",
    }),
  ),
  notification: Type.Optional(Type.Object({}, { description: 'objectId, type, message' })),
  scenario: Type.Optional(
    Type.Object({}, { description: 'objectId, storylineId, title, campaign, alertTitle, alertMessage, url…' }),
  ),
});

export function answeredMessages(decisions: readonly Decision[]): AnsweredMessage[] {
  return decisions
    .flatMap(({ fired, isPushed }) => fired.map((one) => ({ ...one, isPushed })))
    .sort((a, b) => a.verdict.at - b.verdict.at)
    .map(({ verdict, deliveryId, shown, language, beaconId, isPushed }) => ({
      deliveryId,
      kind: verdict.kind,
      triggerId: verdict.triggerId,
      eventId: verdict.eventId,
      event: verdict.event,
      beaconId: pointer('Beacon', beaconId),
      visitId: verdict.visitId,
      isPushed,
      ...(language === null ? {} : { language }),
      [verdict.kind]: shown.content satisfies Content,
    }));
}

const nearestSchema = Type.Object({
  installationId: pointerSchema('_Installation'),
  beaconId: pointerSchema('Beacon'),
  ...placeMembers,
});

export function answeredNearest({ whereabouts, installationId }: Decision): AnsweredNearest[] {
  if (whereabouts === undefined) return [];
  const { beaconId, distance, confidence, position } = whereabouts;
  return [
    {
      installationId: pointer('_Installation', installationId),
      beaconId: pointer('Beacon', beaconId),
      distance,
      ...(confidence === undefined ? {} : { confidence }),
      ...position,
    },
  ];
}

const nearestExample = {
  installationId: pointerExample('_Installation', otherExampleId),
  beaconId: pointerExample('Beacon', otherExampleId),
  ...placeExample,
};

const { eventId, triggerId, event, outcome, text, decidedAt, dueAt, kind: ofKind } = verdicts.record.schema.properties;

export const verdictSchema = Type.Object({
  eventId,
  triggerId,
  kind: ofKind,
  event,
  outcome,
  reason: Type.String({ description: 'fired, or the gate that stopped it' }),
  text,
  decidedAt,
  dueAt,
});

/** A verdict without its beacon and event: the events beside it have these. */
export function answeredVerdict(verdict: Verdict): object {
  const judged = { verdict, beaconId: '', installationId: '', deliveryId: null };
  const { beacon_id: _there, installation_id: _who, visit_id: _when, ...cells } = verdictCells(judged);
  return verdicts.records.show(cells);
}

const problemSchema = Type.Object({
  index: Type.Integer({ minimum: 0, description: 'Which of the sightings, counted from 0' }),
  code: Type.String({ description: 'Such as unknown_beacon, unusable, bad_time, shared_address, not_proven' }),
  field: Type.Optional(Type.String()),
  message: Type.String({ description: 'What is wrong and what to do' }),
});

export interface SightingsAnswer {
  readonly received: number;
  readonly duplicates: number;
  readonly clockError?: number;
  readonly clockErrorMs?: number;
  readonly events: readonly AnsweredEvent[];
  readonly messages: readonly AnsweredMessage[];
  readonly elsewhere?: readonly Elsewhere[];
  readonly nearest?: readonly AnsweredNearest[];
  readonly problems: readonly ItemProblem[];
}

export const answerSchema = Type.Object({
  received: Type.Integer({ minimum: 0, description: 'How many sightings the batch had' }),
  duplicates: Type.Integer({ minimum: 0, description: 'How many of them were known already' }),
  clockError: Type.Optional(
    Type.Integer({ description: "Seconds by which the sender's clock was ahead (+) or behind (-), and was corrected" }),
  ),
  clockErrorMs: Type.Optional(
    Type.Number({ description: 'The same in milliseconds, for a phone that goes by it; only with `decided`' }),
  ),
  events: Type.Array(eventSchema),
  messages: Type.Array(messageSchema),
  elsewhere: Type.Optional(
    Type.Array(Type.Object({ triggerId: objectIdSchema, shownAt: timestampSchema }), {
      description: 'What other phones of the person were shown lately, for caps and pauses; only with `decided`',
    }),
  ),
  nearest: Type.Optional(
    Type.Array(nearestSchema, {
      description: 'The beacon that each installation of the batch is nearest to; absent where none was heard lately',
    }),
  ),
  problems: Type.Array(problemSchema),
});

export const messageExample = {
  deliveryId: '0VnZxSfm1sQ0c3mJx2v7yKb9dQpTqQfE',
  kind: 'notification',
  triggerId: otherExampleId,
  eventId: exampleId,
  event: 'ENTER',
  beaconId: pointerExample('Beacon', otherExampleId),
  visitId: exampleId,
  isPushed: true,
  notification: {
    objectId: otherExampleId,
    type: 'TEXT',
    message: { alertTitle: 'Welcome', alertMessage: 'The tour starts on your left.' },
  },
};

const judged = verdicts.record.example;

export const verdictExample = Object.fromEntries(
  Object.keys(verdictSchema.properties).flatMap((name) => (name in judged ? [[name, judged[name]]] : [])),
);

export const answerExample = {
  received: 3,
  duplicates: 0,
  events: [eventExample],
  messages: [messageExample],
  nearest: [nearestExample],
  problems: [
    {
      index: 2,
      code: 'unusable',
      field: 'rssi',
      message: 'Ignored: rssi is 127; 127 means that the chip could not measure.',
    },
  ],
};

/** The sender is the phone, as far as can be known of one that belongs to nobody, or its user. A tag is heard by everybody. */
function isTheirs({ intake: { sender, isOwn }, lock }: Locked): boolean {
  if (lock.isUnproven) return false;
  if (lock.userId !== null) return lock.userId === sender.userId;
  return isOwn && isKnownEnough(sender, lock) && isProven(lock, { ...sender, seesAll: false });
}

/**
 * The objectId is shown to whoever may read visits. Where the app requires secrets, a phone that has none must therefore be named by its
 * own id; elsewhere either id will do.
 */
const isKnownEnough = ({ policy }: Sender, { secretHash, isByOwnId }: Locked['lock']) =>
  secretHash !== null || isByOwnId || policy.installationProof !== 'required';

/**
 * Only the visitor, a phone that belongs to nobody, and whoever may read all events learn what follows. Somebody who only reports would
 * learn from an EXIT that was made up, or from an ENTER that is missing, where somebody is.
 */
export function isShown(locked: Locked): boolean {
  const { sender, isOwn } = locked.intake;
  // Somebody who reports other people's phones would learn which visits are whose.
  return sender.policy.pseudonyms === 'daily' ? isOwn && isTheirs(locked) : sender.seesWhereabouts || isTheirs(locked);
}

export const nothingShown: Effect = {
  events: [],
  messages: [],
  nearest: [],
  duplicates: 0,
  problems: [],
  clockError: 0,
};

export const shownEffect = (locked: Locked, effect: Effect): Effect => (isShown(locked) ? effect : nothingShown);

export function unprovenEffect({ reports }: Intake): Effect {
  const { message } = notProven();
  const problems = reports.map(({ index }) => ({ index, code: 'not_proven', message }));
  return { ...nothingShown, problems, isUnproven: true };
}

export function effectOf(
  { reports, repeated, problems, clockError }: Fresh,
  { decision, duplicates }: Decided,
  elsewhere?: readonly Elsewhere[],
): Effect {
  return {
    ...(elsewhere === undefined ? {} : { elsewhere }),
    events: answeredEvents([decision]),
    messages: answeredMessages([decision]),
    nearest: answeredNearest(decision),
    duplicates: repeated + Math.min(reports.length, duplicates),
    problems,
    clockError,
  };
}
