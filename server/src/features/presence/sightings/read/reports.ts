import {
  type GatewaySubject,
  latestTime,
  normalise,
  type ReporterKind,
  receiverName,
  type Subject,
  tagKey,
} from '@pharos/engine';
import { isObject, parseInstant } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { fail } from '../../../../base/errors.ts';
import type { Db } from '../../../../db/db.ts';
import { otherExampleId } from '../../../../http/answers.ts';
import { defineShape, sentence } from '../../../../http/shape.ts';
import { isMotion } from '../../../motion.ts';
import { readTelemetry } from '../../../telemetry.ts';
import * as store from '../site/site.ts';
import { type SiteBeacon, type SiteReads, storedSite } from '../site/site.ts';
import type { ItemProblem, Report, ReportedDecisions } from '../stages/stages.ts';
import { decidedProblems, decidedSchema, toDecided } from './decided.ts';

const maxSightings = 1_000;

const sighting = Type.Unknown({
  description:
    'One sighting: {beacon, event: ENTER or EXIT, occurredAt, eventId} from a phone that has decided, or ' +
    '{beacon or uuid+major+minor, rssi, txPower, distance, occurredAt, eventId, telemetry, motion} with a sample, where telemetry is ' +
    'what the beacon tells of itself, with the members of POST /telemetry, and motion is still, walking or vehicle, as the system of the ' +
    'phone recognises it: kept with the installation, and nothing is decided by it; or {place, event, occurredAt}, where place is the venue whose ' +
    'region it has entered or left. The objects of ' +
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

const batchSchema = Type.Object({ ...batchMembers, decided: Type.Optional(decidedSchema) });
type SentBatch = Static<typeof batchSchema>;

/** Epoch milliseconds of a time as senders write it; undefined for what is none, or lies beyond the year 9999. */
export function readTime(value: string | number | undefined): number | undefined {
  if (typeof value === 'string') return /^\d{1,15}$/.test(value) ? readTime(Number(value)) : parseInstant(value);
  if (value === undefined || value > latestTime) return undefined;
  // As milliseconds it would lie before March 1973.
  return Math.round(value < 1e11 ? value * 1000 : value);
}

export const batchShape = defineShape(batchSchema, {
  rules: ({ sentAt, decided }) => [
    ...(sentAt !== undefined && readTime(sentAt) === undefined
      ? [{ field: 'sentAt', problem: 'must be an ISO 8601 date or epoch milliseconds' }]
      : []),
    ...decidedProblems(decided, readTime),
  ],
});

/** A pointer where an id is expected names the same. */
export function withPlainId(body: unknown): unknown {
  if (!isObject(body) || !isObject(body['installationId'])) return body;
  return { ...body, installationId: body['installationId']['objectId'] };
}

export function toBatch({ sentAt, decided, ...rest }: SentBatch): Batch {
  const at = readTime(sentAt);
  return {
    ...rest,
    ...(at === undefined ? {} : { sentAt: at }),
    ...(decided === undefined ? {} : { decided: toDecided(decided, readTime) }),
  };
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

/** A batch as it was sent, read report by report: observations, and a problem for each unusable report. */

export interface Batch {
  /** Absent for a gateway, whose tags stand for installations. */
  readonly installationId?: string;
  readonly gateway?: string;
  readonly topic?: string;
  readonly sender?: ReporterKind;
  readonly interval?: number;
  readonly sentAt?: number;
  readonly sightings: readonly unknown[];
  readonly decided?: ReportedDecisions;
}

/** A report whose beacon has not been looked up yet. */
export type Reading = Omit<Report, 'installationId' | 'beacon'>;
type Place = Pick<Report, 'installationId' | 'beacon'>;

const nobody = {
  code: 'no_installation',
  field: 'installationId',
  message: 'A phone that hears a beacon says who it is: send installationId with the batch.',
};

/** It says something about a venue instead of a beacon. */
export const isOfPlace = (raw: unknown): boolean => isObject(raw) && raw['place'] !== undefined;

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Under which topic a report is read: its own, the batch's, or what a report of the gateway would have had. */
function topicOf(raw: unknown, batch: Batch): string | undefined {
  if (!isObject(raw)) return batch.topic;
  const own = text(raw['topic']) ?? batch.topic;
  if (own !== undefined || batch.gateway === undefined) return own;
  const tag = text(raw['tag']) ?? text(raw['id']) ?? '';
  return 'rssi@1m' in raw ? `espresense/devices/${tag}/${batch.gateway}` : `pharos/${batch.gateway}/BTtoMQTT/${tag}`;
}

/** Reads every report of a batch, with the times that it gives, and names what cannot be used. */
export function readBatch(
  batch: Batch,
  now: number,
): { readonly items: readonly Reading[]; readonly problems: readonly ItemProblem[] } {
  const items: Reading[] = [];
  const problems: ItemProblem[] = [];
  batch.sightings.forEach((raw, index) => {
    if (isOfPlace(raw)) {
      if (batch.installationId === undefined) problems.push({ index, ...nobody });
      return;
    }
    const topic = topicOf(raw, batch);
    const read = normalise(raw, {
      receivedAt: now,
      ...(topic === undefined ? {} : { topic }),
      ...(batch.sender === undefined ? {} : { sender: batch.sender }),
      ...(batch.interval === undefined ? {} : { interval: batch.interval }),
    });
    if (!read.ok) {
      problems.push({ index, ...read.problem });
      return;
    }
    const isTimed = isObject(raw) && (raw['occurredAt'] ?? raw['timestamp'] ?? undefined) !== undefined;
    const { subject, observation, eventId } = read;
    const sentTime = isTimed ? observation.occurredAt : undefined;
    const also = readTelemetryAndMotion(raw, index);
    problems.push(...also.problems);
    items.push({ ...{ index, subject, observation, eventId, sentTime }, ...also.values });
  });
  return { items, problems };
}

/** The telemetry of the beacon and the motion of the phone. What cannot be used is a problem, and the sighting counts. */
function readTelemetryAndMotion(
  raw: unknown,
  index: number,
): { readonly values: Pick<Report, 'telemetry' | 'motion'>; readonly problems: readonly ItemProblem[] } {
  const { telemetry: sent, motion } = isObject(raw) ? raw : {};
  const telemetry = sent === undefined ? undefined : readTelemetry(sent);
  const problem = (name: string, message: string) => ({
    ...{ index, code: `bad_${name}`, field: name },
    message: `${message} The sighting counts.`,
  });
  return {
    values: { ...(isObject(telemetry) ? { telemetry } : {}), ...(isMotion(motion) ? { motion } : {}) },
    problems: [
      ...(typeof telemetry === 'string' ? [problem('telemetry', `telemetry${telemetry}`)] : []),
      ...(motion === undefined || isMotion(motion)
        ? []
        : [problem('motion', 'motion must be still, walking or vehicle, or left out.')]),
    ],
  };
}

/** Finds the beacon of each report, and for those of a gateway the installation. `installationId` is the sender's. */
export async function placeReports(
  { db, site = storedSite }: { readonly db: Db; readonly site?: SiteReads },
  appId: string,
  items: readonly Reading[],
  installationId: string | undefined,
): Promise<{ readonly reports: readonly Report[]; readonly problems: readonly ItemProblem[] }> {
  const found = await lookUp({ db, site }, appId, items);
  const reports: Report[] = [];
  const problems: ItemProblem[] = [];
  for (const item of items) {
    const place = placeOf(item, found, installationId);
    if ('code' in place) problems.push({ index: item.index, ...place });
    else reports.push({ ...item, ...place });
  }
  return { reports, problems: [...problems, ...sharedAddresses(items, found)] };
}

/** Reports once per batch each address that several beacons have: the oldest counts, which may not be what was meant. */
function sharedAddresses(items: readonly Reading[], { shared }: Found): ItemProblem[] {
  if (shared.size === 0) return [];
  const reported = new Set<string>();
  return items.flatMap(({ index, subject }) => {
    const key = subject.direction === 'phone' && subject.address ? addressText(subject.address) : '';
    const [first, second] = shared.get(key) ?? [];
    if (!first || !second || reported.has(key)) return [];
    reported.add(key);
    const message = `The beacons ${first.objectId} and ${second.objectId} have the same uuid, major and minor. Sightings count for ${first.objectId}, the older one: give one of them other numbers, or delete it.`;
    return [{ index, code: 'shared_address', field: 'uuid', message }];
  });
}

interface Found {
  /** Addresses that several beacons have, with these, oldest first. */
  readonly shared: ReadonlyMap<string, readonly SiteBeacon[]>;
  readonly byId: ReadonlyMap<string, SiteBeacon>;
  readonly byAddress: ReadonlyMap<string, SiteBeacon>;
  readonly byRegion: ReadonlyMap<string, readonly SiteBeacon[]>;
  readonly byGateway: ReadonlyMap<string, SiteBeacon>;
  readonly byTag: ReadonlyMap<string, string>;
}

const addressText = ({ uuid, major, minor }: store.AddressParts) => `${uuid}:${major}:${minor}`;
const regionText = ({ uuid, major }: { readonly uuid: string; readonly major: number }) => `${uuid}:${major}`;

function distinct<T>(values: readonly T[], key: (value: T) => string): T[] {
  return [...new Map(values.map((value) => [key(value), value])).values()];
}

/** The first of several, which is the oldest. */
function firstBy<T>(values: readonly T[], key: (value: T) => string): Map<string, T> {
  return new Map([...values].reverse().map((value) => [key(value), value]));
}

async function lookUp(
  { db, site }: { readonly db: Db; readonly site: SiteReads },
  appId: string,
  items: readonly Reading[],
): Promise<Found> {
  const phones = items.flatMap(({ subject }) => (subject.direction === 'phone' ? [subject] : []));
  const gateways = items.flatMap(({ subject }) => (subject.direction === 'gateway' ? [subject] : []));
  const ids = distinct(
    phones.flatMap(({ beaconId }) => beaconId ?? []),
    String,
  );
  const addresses = distinct(
    [...phones, ...gateways].flatMap(({ address }) => address ?? []),
    addressText,
  );
  const regions = distinct(
    phones.flatMap(({ address }) => address ?? []).filter(({ region }) => region === true),
    regionText,
  );
  const names = distinct(
    gateways.flatMap(({ gateway }) => [gateway, receiverName(gateway)]),
    String,
  );
  const tags = distinct(gateways.flatMap(tagsOf), String);
  const [byId, byAddress, byRegion, byGateway, byTag] = await Promise.all([
    site.beaconsById(db, appId, ids),
    site.beaconsByAddress(db, appId, addresses),
    Promise.all(
      regions.map(
        async ({ uuid, major }) =>
          [regionText({ uuid, major }), await store.findBeaconsInRegion(db, appId, uuid, major)] as const,
      ),
    ),
    store.findBeaconsByGateway(db, appId, names),
    store.findInstallationsByTag(db, appId, tags),
  ]);
  const addressOf = ({ uuidKey, major, minor }: SiteBeacon) => addressText({ uuid: uuidKey, major, minor });
  const beacons = distinct(byAddress, ({ objectId }) => objectId);
  return {
    byId: firstBy(byId, ({ objectId }) => objectId),
    byAddress: firstBy(beacons, addressOf),
    shared: new Map([...Map.groupBy(beacons, addressOf)].filter(([, all]) => all.length > 1)),
    byRegion: new Map(byRegion),
    byGateway: firstBy(byGateway, ({ gatewayKey }) => gatewayKey ?? ''),
    byTag: new Map([...byTag].reverse().map((row) => [row.advertised_key, row.object_id])),
  };
}

type PhoneSubject = Extract<Subject, { readonly direction: 'phone' }>;
type Refused = Omit<ItemProblem, 'index'>;

/** What the tag is called: its iBeacon address before another identity, and that before its MAC address or name. */
const tagsOf = ({ address, identity, tag }: GatewaySubject): string[] => [
  ...(address ? [addressText(address)] : []),
  ...(identity === undefined ? [] : [tagKey(identity)]),
  tagKey(tag),
];

function placeOf({ subject }: Reading, found: Found, installationId: string | undefined): Place | Refused {
  if (subject.direction === 'gateway') return placeOfTag(subject, found);
  if (installationId === undefined) return nobody;
  const beacon = findBeacon(subject, found);
  return 'code' in beacon ? beacon : { installationId, beacon };
}

function placeOfTag(subject: GatewaySubject, found: Found): Place | Refused {
  const beacon = found.byGateway.get(subject.gateway) ?? found.byGateway.get(receiverName(subject.gateway));
  if (!beacon) {
    return {
      code: 'unknown_gateway',
      field: 'gateway',
      message: `No beacon stands for the gateway ${subject.gateway}: set metadata.gatewayId of the beacon where it is installed.`,
    };
  }
  const installationId = tagsOf(subject)
    .map((key) => found.byTag.get(key))
    .find((id) => id !== undefined);
  const known = subject.address && found.byAddress.get(addressText(subject.address));
  if (installationId === undefined && known) {
    return {
      code: 'known_beacon',
      field: 'tag',
      message: `The tag is the beacon ${known.objectId} of the app, which is nobody's.`,
    };
  }
  if (installationId === undefined) {
    return {
      code: 'unknown_tag',
      field: 'tag',
      message: `No installation stands for the tag ${subject.tag}: set metadata.advertisedId of the installation.`,
    };
  }
  return { installationId, beacon };
}

function findBeacon({ beaconId, address }: PhoneSubject, found: Found): SiteBeacon | Refused {
  if (beaconId !== undefined) {
    const beacon = found.byId.get(beaconId);
    return (
      beacon ?? { code: 'unknown_beacon', field: 'beacon', message: `There is no beacon ${beaconId} in this app.` }
    );
  }
  const beacon = address && found.byAddress.get(addressText(address));
  if (beacon) return beacon;
  if (address?.region === true) {
    const [first, second] = found.byRegion.get(regionText(address)) ?? [];
    if (first && !second) return first;
    if (first) {
      const message = `Several beacons have the uuid ${address.uuid}: send the major and minor of the one that was met.`;
      return { code: 'ambiguous_beacon', field: 'minor', message };
    }
  }
  const name = address ? `with uuid ${address.uuid}, major ${address.major} and minor ${address.minor}` : 'like this';
  return {
    code: 'unknown_beacon',
    field: 'uuid',
    message: `There is no beacon ${name} in this app. Add it with POST /beacons.`,
  };
}
