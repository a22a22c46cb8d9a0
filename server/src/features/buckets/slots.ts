import { readInstant } from '../../query/instant.ts';
import { ownMember } from '../../query/json.ts';

/** The types that a schema may declare. */
export const columnTypes = ['Number', 'String', 'Date', 'Boolean'] as const;
export type ColumnType = (typeof columnTypes)[number];
export type Columns = Readonly<Record<string, ColumnType>>;

const numberSlots = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
const textSlots = ['t1', 't2', 't3', 't4', 't5', 't6'];

/** What else the index of each slot holds on SQLite (migration 5). */
export const slotsHeld: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
  ...numberSlots.map((slot) => [slot, [...numberSlots, ...textSlots]]),
  ...textSlots.map((slot) => [slot, [slot, ...numberSlots]]),
]);

/** Longer texts would make index entries that PostgreSQL refuses. */
const maxSlotText = 255;

/**
 * A declared column that is copied to an indexed column of its own.
 *
 * `filling`: new records are copied, older ones are being copied. `ready`: queries use it. `draining`: the column was
 * withdrawn and the copies are being removed, before another column may use the slot. `exact` turns false for good
 * when a value does not fit (a long text, or a value of another type from before the schema): then queries read the
 * documents instead, which is slower and always right.
 */
export interface Slot {
  readonly slot: string;
  readonly column: string;
  readonly type: ColumnType;
  readonly state: 'filling' | 'ready' | 'draining';
  readonly exact: boolean;
}

/**
 * Which columns get which slots when the declared columns change. Columns beyond six numbers, dates and booleans and
 * six texts stay without: they work, but are not fast.
 */
export function assignSlots(current: readonly Slot[], columns: Columns, isEmpty: boolean): readonly Slot[] {
  const kept = current.map(
    (slot): Slot => (columns[slot.column] === slot.type ? slot : { ...slot, state: 'draining' }),
  );
  // Nothing to copy and nothing to remove in an empty bucket.
  const slots = isEmpty ? kept.filter(({ state }) => state !== 'draining') : kept;
  const live = new Set(slots.filter(({ state }) => state !== 'draining').map(({ column }) => column));
  const taken = new Set(slots.map(({ slot }) => slot));
  const added: Slot[] = [];
  for (const [column, type] of Object.entries(columns)) {
    if (live.has(column)) continue;
    const free = (type === 'String' ? textSlots : numberSlots).find((slot) => !taken.has(slot));
    if (!free) continue;
    taken.add(free);
    added.push({ slot: free, column, type, state: isEmpty ? 'ready' : 'filling', exact: true });
  }
  return [...slots, ...added];
}

export interface SlotValues {
  /** For each slot of the bucket, what goes into its column. */
  readonly values: Readonly<Record<string, string | number | null>>;
  /** Slots that were exact and cannot hold this document's value. */
  readonly misfits: readonly string[];
}

/** Missing first in ascending order: no number is below −Infinity, no text before the empty one. */
const missing = { number: Number.NEGATIVE_INFINITY, text: '' };

export function slotValues(slots: readonly Slot[], document: unknown): SlotValues {
  const values: Record<string, string | number | null> = {};
  const misfits: string[] = [];
  for (const slot of slots) {
    if (slot.state === 'draining') {
      values[slot.slot] = null;
      continue;
    }
    const value = slotValue(slot.type, ownMember(document, slot.column));
    values[slot.slot] = value ?? (slot.type === 'String' ? missing.text : missing.number);
    if (value === undefined && slot.exact) misfits.push(slot.slot);
  }
  return { values, misfits };
}

/** Undefined for a value that the slot cannot hold. */
function slotValue(type: ColumnType, value: unknown): string | number | undefined {
  if (value === undefined || value === null) return type === 'String' ? missing.text : missing.number;
  switch (type) {
    case 'Number':
      return typeof value === 'number' ? value : undefined;
    case 'Boolean':
      return typeof value === 'boolean' ? Number(value) : undefined;
    case 'Date':
      return readInstant(value, true);
    case 'String':
      return typeof value === 'string' && value.length <= maxSlotText ? `v${value}` : undefined;
  }
}
