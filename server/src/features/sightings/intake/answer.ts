import { Type } from 'typebox';
import {
  exampleCreated,
  exampleId,
  objectIdSchema,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import type { PresenceEvent, Verdict } from '../../../proximity/index.ts';
import { answeredRivals, placeExample, placeMembers, rivalsSchema } from '../../rivals.ts';
import type { Decision } from '../decide/decide.ts';
import type { Content } from '../site/site-store.ts';
import type { ItemProblem } from './intake.ts';

/** What a sender of sightings is told, and what a simulation shows: events, messages, verdicts, problems. */

const kinds = ['ENTER', 'EXIT', 'IMMEDIATE', 'NEAR', 'FAR'] as const;
const visitId = Type.String({ description: 'The visit that it belongs to; the same from ENTER to EXIT' });

export const eventSchema = Type.Object({
  objectId: objectIdSchema,
  event: Type.Enum([...kinds]),
  beaconId: pointerSchema('Beacon'),
  installationId: pointerSchema('_Installation'),
  visitId,
  occurredAt: timestampSchema,
  enteredAt: Type.Optional(timestampSchema),
  leftAt: Type.Optional(timestampSchema),
  distance: Type.Optional(Type.Number({ description: 'Metres' })),
  rivals: Type.Optional(rivalsSchema),
  cause: Type.Enum(['samples', 'device', 'silence', 'timeout'], {
    description: 'Signals, the decision of the phone, silence, or twelve hours without a word',
  }),
  inferred: Type.Boolean({ description: 'Guessed: nobody reported it' }),
});

export interface AnsweredEvent {
  readonly objectId: string;
  readonly [member: string]: unknown;
}

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const iso = (at: number) => new Date(at).toISOString();

export function answeredEvent(event: PresenceEvent): AnsweredEvent {
  return {
    objectId: event.id,
    event: event.event,
    beaconId: pointer('Beacon', event.beaconId),
    installationId: pointer('_Installation', event.installationId),
    visitId: event.visitId,
    occurredAt: iso(event.at),
    ...(event.enteredAt === undefined ? {} : { enteredAt: iso(event.enteredAt) }),
    ...(event.leftAt === undefined ? {} : { leftAt: iso(event.leftAt) }),
    ...(event.distance === undefined ? {} : { distance: event.distance }),
    ...(event.rivals === undefined ? {} : { rivals: answeredRivals(event.rivals) }),
    cause: event.cause,
    inferred: event.inferred === true,
  };
}

/** Of all beacons, in order of time. */
export function answeredEvents(decisions: readonly Decision[]): AnsweredEvent[] {
  return decisions
    .flatMap(({ events }) => events)
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
    .map(answeredEvent);
}

export const messageSchema = Type.Object({
  deliveryId: Type.String({
    description: 'A push of the same message carries it too: show what has been shown already only once',
  }),
  kind: Type.Enum(['notification', 'scenario']),
  triggerId: objectIdSchema,
  eventId: objectIdSchema,
  event: Type.Enum([...kinds]),
  beaconId: pointerSchema('Beacon'),
  visitId,
  isPushed: Type.Boolean({ description: 'Whether a push is on its way too' }),
  notification: Type.Optional(Type.Object({}, { description: 'objectId, description, type, message' })),
  scenario: Type.Optional(
    Type.Object({}, { description: 'objectId, storylineId, title, campaign, alertTitle, alertMessage, url…' }),
  ),
});

export interface AnsweredMessage {
  readonly deliveryId: string;
  readonly [member: string]: unknown;
}

export function answeredMessages(decisions: readonly Decision[]): AnsweredMessage[] {
  return decisions
    .flatMap(({ fired, isPushed }) => fired.map((one) => ({ ...one, isPushed })))
    .sort((a, b) => a.verdict.at - b.verdict.at)
    .map(({ verdict, deliveryId, shown, beaconId, isPushed }) => ({
      deliveryId,
      kind: verdict.kind,
      triggerId: verdict.triggerId,
      eventId: verdict.eventId,
      event: verdict.event,
      beaconId: pointer('Beacon', beaconId),
      visitId: verdict.visitId,
      isPushed,
      [verdict.kind]: shown.content satisfies Content,
    }));
}

/** Where an installation is, by the beacon that it is nearest to. */
export const nearestSchema = Type.Object({
  installationId: pointerSchema('_Installation'),
  beaconId: pointerSchema('Beacon'),
  ...placeMembers,
});

export interface AnsweredNearest {
  readonly distance: number;
  readonly [member: string]: unknown;
}

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

export const nearestExample = {
  installationId: pointerExample('_Installation', otherExampleId),
  beaconId: pointerExample('Beacon', otherExampleId),
  ...placeExample,
};

export const verdictSchema = Type.Object({
  eventId: objectIdSchema,
  triggerId: objectIdSchema,
  kind: Type.Enum(['notification', 'scenario']),
  event: Type.Enum([...kinds]),
  outcome: Type.Enum(['fired', 'stopped', 'pending']),
  reason: Type.String({ description: 'fired, or the gate that stopped it' }),
  text: Type.String({ description: 'The same as a sentence' }),
  decidedAt: timestampSchema,
  dueAt: Type.Optional(timestampSchema),
});

export function answeredVerdict(verdict: Verdict): object {
  return {
    eventId: verdict.eventId,
    triggerId: verdict.triggerId,
    kind: verdict.kind,
    event: verdict.event,
    outcome: verdict.outcome,
    reason: verdict.reason,
    text: verdict.text,
    decidedAt: iso(verdict.at),
    ...(verdict.dueAt === undefined ? {} : { dueAt: iso(verdict.dueAt) }),
  };
}

export const problemSchema = Type.Object({
  index: Type.Integer({ minimum: 0, description: 'Which of the sightings, counted from 0' }),
  code: Type.String({ description: 'Such as unknown_beacon, unusable, bad_time, shared_address' }),
  field: Type.Optional(Type.String()),
  message: Type.String({ description: 'What is wrong and what to do' }),
});

export interface Answer {
  readonly received: number;
  readonly duplicates: number;
  readonly clockError?: number;
  readonly events: readonly AnsweredEvent[];
  readonly messages: readonly AnsweredMessage[];
  readonly nearest?: readonly AnsweredNearest[];
  readonly problems: readonly ItemProblem[];
}

export const answerSchema = Type.Object({
  received: Type.Integer({ minimum: 0, description: 'How many sightings the batch had' }),
  duplicates: Type.Integer({ minimum: 0, description: 'How many of them were known already' }),
  clockError: Type.Optional(
    Type.Integer({ description: "Seconds by which the sender's clock was ahead (+) or behind (-), and was corrected" }),
  ),
  events: Type.Array(eventSchema),
  messages: Type.Array(messageSchema),
  nearest: Type.Optional(
    Type.Array(nearestSchema, {
      description: 'The beacon that each installation of the batch is nearest to; absent where none was heard lately',
    }),
  ),
  problems: Type.Array(problemSchema),
});

export const eventExample = {
  objectId: exampleId,
  event: 'ENTER',
  beaconId: pointerExample('Beacon', otherExampleId),
  installationId: pointerExample('_Installation', otherExampleId),
  visitId: exampleId,
  occurredAt: exampleCreated,
  enteredAt: exampleCreated,
  distance: 1.86,
  cause: 'samples',
  inferred: false,
};

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
    description: 'Welcome to the main hall',
    type: 'TEXT',
    message: { alertTitle: 'Welcome', alertMessage: 'The tour starts on your left.' },
  },
};

export const verdictExample = {
  eventId: exampleId,
  triggerId: otherExampleId,
  kind: 'scenario',
  event: 'ENTER',
  outcome: 'stopped',
  reason: 'schedule',
  text: 'Not shown: it runs on Mon–Fri, and it was Sunday in Europe/Vienna.',
  decidedAt: exampleCreated,
};

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
