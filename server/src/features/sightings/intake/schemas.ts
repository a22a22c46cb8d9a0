import { latestTime } from '@pharos/engine';
import { isObject, parseInstant } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { otherExampleId } from '../../../http/answers.ts';
import { defineShape, sentence } from '../../../http/shape.ts';
import type { Batch } from '../batch/batch.ts';

export const maxSightings = 1_000;

const sighting = Type.Unknown({
  description:
    'One sighting: {beacon, event: ENTER or EXIT, occurredAt, eventId} from a phone that has decided, or ' +
    '{beacon or uuid+major+minor, rssi, txPower, distance, occurredAt, eventId} with a sample. The objects of ' +
    'react-native-beacons-manager, Cordova, AltBeacon, ESPresense and OpenMQTTGateway are understood as they are.',
});

const instant = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], { description }));

export const batchMembers = {
  installationId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description: "Who has sensed this: the client's own installationId or the objectId. Not needed by gateways.",
    }),
  ),
  sightings: Type.Array(sighting, { maxItems: maxSightings }),
  sentAt: instant("The sender's clock at sending, ISO 8601 or epoch milliseconds; then its error is corrected exactly"),
  sender: Type.Optional(
    Type.Enum(['phone', 'androidBackground', 'iosBackground', 'espresense', 'openmqttgateway'], {
      description:
        'How long silence has to last until somebody has left depends on it: 30 s for a phone, 45 minutes for one in the background',
    }),
  ),
  interval: Type.Optional(
    Type.Number({ minimum: 0, maximum: 86_400, description: 'Seconds between two reports of this sender' }),
  ),
  gateway: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      pattern: '^[^/]+$',
      description: 'A fixed receiver that hears tags; metadata.gatewayId of the beacon where it is installed',
    }),
  ),
  topic: Type.Optional(Type.String({ maxLength: 500, description: 'The MQTT topic, where the reports came that way' })),
};

const batchSchema = Type.Object(batchMembers);
type SentBatch = Static<typeof batchSchema>;

/** Epoch milliseconds of a time as senders write it; undefined for what is none, or lies beyond the year 9999. */
export function readTime(value: string | number | undefined): number | undefined {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? readTime(Number(value)) : parseInstant(value);
  if (value === undefined || value > latestTime) return undefined;
  // As milliseconds it would lie before March 1973.
  return Math.round(value < 1e11 ? value * 1000 : value);
}

export const batchShape = defineShape(batchSchema, {
  rules: ({ sentAt }) =>
    sentAt !== undefined && readTime(sentAt) === undefined
      ? [{ field: 'sentAt', problem: 'must be an ISO 8601 date or epoch milliseconds' }]
      : [],
});

/** A pointer where an id is expected names the same. */
export function withPlainId(body: unknown): unknown {
  if (!isObject(body) || !isObject(body['installationId'])) return body;
  return { ...body, installationId: body['installationId']['objectId'] };
}

export function toBatch({ sentAt, ...rest }: SentBatch): Batch {
  const at = readTime(sentAt);
  return { ...rest, ...(at === undefined ? {} : { sentAt: at }) };
}

export function readSightings(body: unknown): Batch {
  const batch = toBatch(batchShape.readCreate(withPlainId(body)));
  if (batch.installationId !== undefined || batch.gateway !== undefined || batch.topic !== undefined) return batch;
  if (batch.sightings.some((one) => isObject(one) && typeof one['topic'] === 'string')) return batch;
  const details = [
    { field: 'installationId', problem: 'is required, except from a gateway, which sends gateway or topic' },
  ];
  throw fail('ValidationError', { message: sentence(details), details });
}

export const sightingsSchema = batchSchema;

export const sightingsExample = {
  installationId: 'c6f1a7e2-7d0b-4c55-9c37-0d6d6a1f2b90',
  sightings: [
    { beacon: otherExampleId, event: 'ENTER', occurredAt: '2026-05-04T09:30:00.000Z', eventId: 'b1f6c2d4-1' },
    {
      uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
      major: 1,
      minor: 12,
      rssi: -67,
      txPower: -59,
      occurredAt: '2026-05-04T09:30:01.000Z',
    },
    {
      uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
      major: 1,
      minor: 12,
      rssi: 127,
      occurredAt: '2026-05-04T09:30:02.000Z',
    },
  ],
};
