import { hash } from 'node:crypto';
import type { Db } from '../../../db/db.ts';
import {
  type ClockState,
  latestTime,
  learnClock,
  normalise,
  type Observation,
  type ReporterKind,
  type Subject,
  sightingKey,
} from '../../../proximity/index.ts';
import { tagKey } from '../../../proximity/tag-key.ts';
import { type SiteReads, storedSite } from '../site/site-cache.ts';
import type { SiteBeacon } from '../site/site-store.ts';
import * as store from '../site/site-store.ts';

/** From a batch as it was sent to observations of known installations at known beacons, and a problem for each other one. */

export interface Batch {
  /** Absent for a gateway, whose tags stand for installations. */
  readonly installationId?: string;
  readonly gateway?: string;
  readonly topic?: string;
  readonly sender?: ReporterKind;
  readonly interval?: number;
  readonly sentAt?: number;
  readonly sightings: readonly unknown[];
}

export interface ItemProblem {
  readonly index: number;
  readonly code: string;
  readonly field?: string;
  readonly message: string;
}

/** One usable report. */
export interface Item {
  readonly index: number;
  readonly subject: Subject;
  readonly observation: Observation;
  readonly eventId: string | undefined;
  /** The time that was sent, as it was sent; undefined when the report says none. */
  readonly sentTime: number | undefined;
}

export interface Read {
  readonly items: readonly Item[];
  readonly problems: readonly ItemProblem[];
}

type Raw = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Raw => typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Under which topic a report is read: its own, the batch's, or what a report of the gateway would have had. */
function topicOf(raw: unknown, batch: Batch): string | undefined {
  if (!isObject(raw)) return batch.topic;
  const own = text(raw['topic']) ?? batch.topic;
  if (own !== undefined || batch.gateway === undefined) return own;
  const tag = text(raw['tag']) ?? text(raw['id']) ?? '';
  return 'rssi@1m' in raw ? `espresense/devices/${tag}/${batch.gateway}` : `pharos/${batch.gateway}/BTtoMQTT/${tag}`;
}

/** Reads every report of a batch, with the times that it says. */
export function readBatch(batch: Batch, now: number): Read {
  const items: Item[] = [];
  const problems: ItemProblem[] = [];
  batch.sightings.forEach((raw, index) => {
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
    items.push({ index, subject, observation, eventId, sentTime: isTimed ? observation.occurredAt : undefined });
  });
  return { items, problems };
}

/** What a batch says about one installation, brought to the service's clock. */
export interface Timed {
  readonly placed: readonly Placed[];
  readonly problems: readonly ItemProblem[];
  readonly clock: ClockState;
  /** By how much the times were moved back, ms. */
  readonly error: number;
}

/** So far ahead a clock may be before its sender is told. */
const toldAheadMs = 5 * 60_000;

/**
 * Corrects the sender's clock for the reports about one installation. All of them are moved alike, which keeps the seconds
 * between them, on which the gates depend; a report whose own time cannot be right is left out.
 */
export function correctTimes(
  placed: readonly Placed[],
  { clock, sentAt, now }: { readonly clock: ClockState; readonly sentAt: number | undefined; readonly now: number },
): Timed {
  const times = placed.flatMap(({ item }) => item.sentTime ?? []);
  if (times.length === 0 && sentAt === undefined) return { placed, problems: [], clock, error: clock.error };
  const learned = learnClock(clock, { sentAt, times, now });
  const { error } = learned;
  const problems: ItemProblem[] = [];
  const left = placed.flatMap((one): Placed[] => {
    const { item } = one;
    if (item.sentTime === undefined) return [one];
    const occurredAt = item.sentTime - error;
    const problem = timeProblem(item.sentTime, { occurredAt, latest: learned.latest, error });
    if (problem !== undefined) {
      problems.push({ index: item.index, code: 'bad_time', field: 'occurredAt', message: problem });
      return [];
    }
    if (error === 0) return [one];
    if (error > toldAheadMs && sentAt === undefined && item.sentTime > now) problems.push(aheadNote(item.index, error));
    return [{ ...one, item: { ...item, observation: { ...item.observation, occurredAt } } }];
  });
  return { placed: left, problems, clock: learned.clock, error };
}

const secondsOf = (ms: number) => Math.round(ms / 1000);

function timeProblem(
  sentTime: number,
  { occurredAt, latest, error }: { readonly occurredAt: number; readonly latest: number; readonly error: number },
): string | undefined {
  if (sentTime > latest) {
    const ahead = secondsOf(sentTime - latest);
    return `occurredAt lies ${ahead} s in the future of what the sender's clock can say; this sighting was left out.`;
  }
  if (occurredAt >= 0 && occurredAt <= latestTime) return undefined;
  return `The sender's clock is off by ${secondsOf(error)} s. Corrected by this, occurredAt is not between 1970 and 9999.`;
}

const aheadNote = (index: number, error: number): ItemProblem => ({
  index,
  code: 'clock_ahead',
  field: 'occurredAt',
  message: `occurredAt lies in the future; all times of the batch were moved back by ${secondsOf(error)} s and counted. Send sentAt, the time of the phone at sending, to have its clock corrected exactly.`,
});

/** An observation with whom and where it is about. */
export interface Placed {
  readonly item: Item;
  /** As the sender named it, or ours where a gateway has heard a tag. */
  readonly installationId: string;
  readonly beacon: SiteBeacon;
}

export interface Placing {
  readonly placed: readonly Placed[];
  readonly problems: readonly ItemProblem[];
}

/** Finds the beacon of each report, and for those of a gateway the installation. `installationId` is the sender's. */
export async function placeItems(
  { db, site = storedSite }: { readonly db: Db; readonly site?: SiteReads },
  appId: string,
  items: readonly Item[],
  installationId: string | undefined,
): Promise<Placing> {
  const found = await lookUp({ db, site }, appId, items);
  const placed: Placed[] = [];
  const problems: ItemProblem[] = [];
  for (const item of items) {
    const place = placeOf(item, found, installationId);
    if ('code' in place) problems.push({ index: item.index, ...place });
    else placed.push({ item, ...place });
  }
  return { placed, problems: [...problems, ...sharedAddresses(items, found)] };
}

/** Tells once a batch of each address that several beacons have: the oldest counts, which may not be what was meant. */
function sharedAddresses(items: readonly Item[], { shared }: Found): ItemProblem[] {
  if (shared.size === 0) return [];
  const told = new Set<string>();
  return items.flatMap(({ index, subject }) => {
    const key = subject.direction === 'phone' && subject.address ? addressText(subject.address) : '';
    const [first, second] = shared.get(key) ?? [];
    if (!first || !second || told.has(key)) return [];
    told.add(key);
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
  items: readonly Item[],
): Promise<Found> {
  const phones = items.flatMap(({ subject }) => (subject.direction === 'phone' ? [subject] : []));
  const gateways = items.flatMap(({ subject }) => (subject.direction === 'gateway' ? [subject] : []));
  const ids = distinct(
    phones.flatMap(({ beaconId }) => beaconId ?? []),
    String,
  );
  const addresses = distinct(
    phones.flatMap(({ address }) => address ?? []),
    addressText,
  );
  const regions = distinct(
    addresses.filter(({ region }) => region === true),
    regionText,
  );
  const names = distinct(
    gateways.map(({ gateway }) => gateway),
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

type GatewaySubject = Extract<Subject, { readonly direction: 'gateway' }>;
type PhoneSubject = Extract<Subject, { readonly direction: 'phone' }>;
type Refused = Omit<ItemProblem, 'index'>;

/** What the tag is called: its iBeacon address before its MAC address or name. */
const tagsOf = ({ address, tag }: GatewaySubject): string[] => [
  ...(address ? [addressText(address)] : []),
  tagKey(tag),
];

function placeOf({ subject }: Item, found: Found, installationId: string | undefined): Omit<Placed, 'item'> | Refused {
  if (subject.direction === 'gateway') return placeOfTag(subject, found);
  if (installationId === undefined) {
    return {
      code: 'no_installation',
      field: 'installationId',
      message: 'A phone that hears a beacon says who it is: send installationId with the batch.',
    };
  }
  const beacon = findBeacon(subject, found);
  return 'code' in beacon ? beacon : { installationId, beacon };
}

function placeOfTag(subject: GatewaySubject, found: Found): Omit<Placed, 'item'> | Refused {
  const beacon = found.byGateway.get(subject.gateway);
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

/**
 * What a report is known by, where the engine alone could not tell that it comes again: it has an id of the sender's own,
 * it is a decision, or its time was corrected by when it arrived. Plain samples the engine knows by their time.
 */
export function reportKey({ item, beacon }: Placed, installationId: string, corrected: boolean): string | undefined {
  const { eventId, observation, sentTime } = item;
  const needsKey = eventId !== undefined || (sentTime !== undefined && (corrected || observation.event !== undefined));
  if (!needsKey) return undefined;
  const sample = `${observation.rssi ?? observation.distance ?? ''} ${observation.receiver ?? ''}`;
  return sightingKey({
    ...(eventId === undefined ? {} : { eventId }),
    installation: installationId,
    beacon: beacon.objectId,
    event: observation.event ?? sample,
    occurredAt: sentTime ?? 0,
  });
}

/**
 * What a whole batch is known by, so that a sender that lost the answer gets it again. Undefined where a report has neither
 * a time nor an id of its own: then the same text may well be another observation.
 */
export function batchKey(batch: Batch, items: readonly Item[]): string | undefined {
  if (items.some(({ eventId, sentTime }) => eventId === undefined && sentTime === undefined)) return undefined;
  return `batch:${hash('sha256', JSON.stringify(batch), 'base64url')}`;
}
