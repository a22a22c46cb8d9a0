import { normalise, type Observation, type ReporterKind, type Subject } from '@pharos/engine';

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
  /** The time as it was sent; undefined when the report has none. */
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

/** Reads every report of a batch, with the times that it gives. */
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
