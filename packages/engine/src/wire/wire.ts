import type { Observation, ReporterKind, Subject } from '../presence/types.ts';
import {
  readAltBeacon,
  readCordova,
  readEspresense,
  readOpenMqttGateway,
  readPharos,
  readReactNative,
} from './wire-shapes.ts';
import { asTime, type Draft, type DraftReading, isRecord, type ReportProblem, refuse } from './wire-values.ts';

/**
 * From what real senders write to one Observation. Nothing here throws: a report that cannot be used becomes a problem
 * with a sentence for the sender's developer, and the rest of the batch goes on.
 */

export interface WireContext {
  /** When the report arrived, ms; stands in for a missing `occurredAt`. */
  readonly receivedAt: number;
  /** The MQTT topic, where it came that way; ESPresense and OpenMQTTGateway put half of the message there. */
  readonly topic?: string;
  /** What the batch says about its sender; a report may say otherwise. */
  readonly sender?: ReporterKind;
  readonly interval?: number;
}

export type Normalised =
  | { readonly ok: true; readonly subject: Subject; readonly observation: Observation; readonly eventId?: string }
  | { readonly ok: false; readonly problem: ReportProblem };

/**
 * Reads one report of any known sender: Pharos' own shape, react-native-beacons-manager, Cordova/Ionic, AltBeacon,
 * ESPresense and OpenMQTTGateway/Theengs. The shape is recognised by its topic or by its members.
 */
export function normalise(raw: unknown, context: WireContext): Normalised {
  if (!isRecord(raw)) return { ok: false, problem: { code: 'not_an_object', message: 'A sighting is a JSON object.' } };
  const reading = readerFor(raw, context.topic)(raw, context.topic);
  if (!reading.ok) return reading;
  return complete(raw, reading.draft, context);
}

type Reader = (raw: Record<string, unknown>, topic?: string) => DraftReading;

function readerFor(raw: Record<string, unknown>, topic: string | undefined): Reader {
  if (topic?.startsWith('espresense/') || 'rssi@1m' in raw) return readEspresense;
  if (topic?.includes('/BTtoMQTT/')) return readOpenMqttGateway;
  if ('id1' in raw) return readAltBeacon;
  if ('tx' in raw || (typeof raw['proximity'] === 'string' && raw['proximity'].startsWith('Proximity')))
    return readCordova;
  if ('beacon' in raw || 'beaconId' in raw || 'event' in raw || 'occurredAt' in raw) return readPharos;
  if ('txpower' in raw && 'id' in raw) return readOpenMqttGateway;
  return readReactNative;
}

/** What all shapes share: time, sender, the client's id, and the rules for what is no measurement. */
function complete(raw: Record<string, unknown>, draft: Draft, context: WireContext): Normalised {
  const occurredAt = asTime(raw['occurredAt'] ?? raw['timestamp'], context.receivedAt);
  if (occurredAt === null) {
    return refuse('bad_time', 'occurredAt', 'occurredAt is an ISO 8601 time or epoch milliseconds.');
  }
  const useless = draft.event === undefined ? uselessMeasurement(draft) : null;
  if (useless !== null) return useless;
  const { subject, ...values } = draft;
  const interval = draft.interval ?? (isInterval(raw['interval']) ? raw['interval'] : context.interval);
  const sender = senderOf(raw['sender']) ?? draft.sender ?? context.sender;
  const observation: Observation = {
    ...values,
    occurredAt,
    ...(sender === undefined ? {} : { sender }),
    ...(interval === undefined ? {} : { interval }),
  };
  const eventId = raw['eventId'];
  return { ok: true, subject, observation, ...(typeof eventId === 'string' && eventId !== '' ? { eventId } : {}) };
}

/** Seconds, a day at most, as of a batch; anything else says nothing. */
function isInterval(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 86_400;
}

const SENDERS: readonly ReporterKind[] = [
  'phone',
  'androidBackground',
  'iosBackground',
  'espresense',
  'openmqttgateway',
];

function senderOf(value: unknown): ReporterKind | undefined {
  return SENDERS.find((kind) => kind === value);
}

/** The marks by which libraries say "heard, but I know nothing": they must neither start nor prolong a visit. */
function uselessMeasurement(draft: Draft): Normalised | null {
  const { rssi, distance } = draft;
  if (rssi !== undefined && (rssi >= 0 || rssi < -127)) {
    const why =
      rssi === 127 ? '127 means that the chip could not measure' : 'a received power lies between -127 and -1 dBm';
    return refuse('unusable', 'rssi', `Ignored: rssi is ${rssi}; ${why}.`);
  }
  if (distance !== undefined && (distance < 0 || distance >= 999)) {
    return refuse('unusable', 'distance', `Ignored: a distance of ${distance} is how the sender says "unknown".`);
  }
  if (rssi === undefined && distance === undefined) {
    return refuse(
      'no_measurement',
      'rssi',
      'Send rssi (dBm, negative), or event ENTER or EXIT if the phone has decided.',
    );
  }
  return null;
}
