import { ownMember, readInstant, readPath } from '@pharos/query';

/** The types that a schema may declare. */
export const columnTypes = ['Number', 'String', 'Date', 'Boolean'] as const;
export type DeclaredType = (typeof columnTypes)[number];
/** `List`: a member whose texts are searched for, such as the people with whom a record is shared. It is only learned. */
type SlotType = DeclaredType | 'List';
export type SlotColumns = Readonly<Record<string, DeclaredType>>;

const numberSlots = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
const textSlots = ['t1', 't2', 't3', 't4', 't5', 't6'];
/** Slots without columns: their texts are rows of `record_lists`. */
const listSlots = ['l1', 'l2', 'l3'];

/** The other column in the index of each slot on SQLite (migration 5). */
export const slotsHeld: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
  ...numberSlots.map((slot) => [slot, [...numberSlots, ...textSlots]]),
  ...textSlots.map((slot) => [slot, [slot, ...numberSlots]]),
]);

/** For each text slot, the number slot that shares an index with it (migration 8). */
export const slotPairs: Readonly<Record<string, string>> = Object.fromEntries(
  textSlots.map((slot, place) => [slot, numberSlots[place] ?? '']),
);

/** Each copy makes writing a little slower, so not every slot is given to learned members. */
const maxLearned = 3;

/** Longer texts would make index entries that PostgreSQL refuses. */
const maxSlotText = 255;
/** Each text of a list is a row to write. */
const maxListTexts = 500;

/**
 * A declared column that is copied to an indexed column of its own, or (`learned`) an undeclared member that lists
 * often query; its `column` is a path with dots, and it gives way to a declared column.
 *
 * `filling`: new records are copied, older ones are being copied. `ready`: queries use it. `draining`: the column was
 * withdrawn, and the copies are being removed before another column may use the slot. `exact` becomes false for good
 * when a value does not fit (a long text, or a value of another type from before the schema): then queries read the
 * documents instead, which is slower but always right.
 */
export interface Slot {
  readonly slot: string;
  readonly column: string;
  readonly type: SlotType;
  readonly state: 'filling' | 'ready' | 'draining';
  readonly exact: boolean;
  readonly learned?: true;
}

/**
 * Assigns slots when the declared columns change. Columns beyond six numbers, dates and booleans and six texts get
 * none: they work, but are not fast.
 */
export function assignSlots(current: readonly Slot[], columns: SlotColumns, isEmpty: boolean): readonly Slot[] {
  const state = isEmpty ? 'ready' : 'filling';
  const kept = current.map((slot) => keepSlot(slot, { columns, state }));
  // An empty bucket has nothing to copy and nothing to remove.
  let slots = isEmpty ? kept.filter((slot) => slot.state !== 'draining') : kept;
  const live = new Set(slots.filter((slot) => slot.state !== 'draining').map(({ column }) => column));
  for (const [column, type] of Object.entries(columns)) {
    if (live.has(column)) continue;
    const slot = freeSlot(slots, type) ?? learnedSlot(slots, type);
    if (slot) slots = [...slots.filter((other) => other.slot !== slot), { slot, column, type, state, exact: true }];
  }
  return slots;
}

interface Keeping {
  readonly columns: SlotColumns;
  readonly state: 'ready' | 'filling';
}

function keepSlot(slot: Slot, { columns, state }: Keeping): Slot {
  const declared = Object.hasOwn(columns, slot.column) ? columns[slot.column] : undefined;
  if (slot.learned && declared === undefined) return slot;
  if (declared !== slot.type) return { ...slot, state: 'draining' };
  const { learned, ...own } = slot;
  // A learned member that did not fit is copied once more: its values may have been corrected before it was declared.
  return learned && !slot.exact ? { ...own, state, exact: true } : own;
}

const slotsFor = (type: SlotType) => (type === 'List' ? listSlots : type === 'String' ? textSlots : numberSlots);

function freeSlot(slots: readonly Slot[], type: SlotType): string | undefined {
  return slotsFor(type).find((name) => slots.every(({ slot }) => slot !== name));
}

/**
 * A slot that may be taken from its member, because filling it again overwrites every copy; preferably one without use.
 */
function learnedSlot(slots: readonly Slot[], type: SlotType): string | undefined {
  const names = slotsFor(type);
  const learned = slots.filter(({ slot, learned: isLearned }) => isLearned && names.includes(slot));
  return (learned.find(({ exact }) => !exact) ?? learned.at(-1))?.slot;
}

/** A member whose examined values all have one type. */
export interface LearnableMember {
  readonly path: string;
  readonly type: SlotType;
}

/**
 * Gives each member that lists query often a slot, as long as there are free ones. `together` are the members of one
 * query: a text and a number of them get slots that share an index, if those are free.
 */
export function learnSlots(
  current: readonly Slot[],
  found: readonly LearnableMember[],
  together: readonly string[],
): readonly Slot[] {
  const slots = [...current];
  for (const { path, type } of found) {
    const own = slotsFor(type);
    const learned = slots.filter((other) => other.learned && own.includes(other.slot));
    if (slots.some(({ column }) => column === path) || learned.length >= maxLearned) continue;
    const isFree = (name: string) => slots.every(({ slot }) => slot !== name);
    const free = own.filter(isFree);
    const partners = slots.filter(({ column }) => together.includes(column)).map(({ slot }) => partnerOf(slot));
    const slot =
      free.find((name) => partners.includes(name)) ?? free.find((name) => isFree(partnerOf(name))) ?? free[0];
    if (slot) slots.push({ slot, column: path, type, state: 'filling', exact: true, learned: true });
  }
  return slots;
}

export function learnedMembers(slots: readonly Slot[]): readonly LearnableMember[] {
  return slots
    .filter(({ learned, state, exact }) => learned && state === 'ready' && exact)
    .map(({ column, type }) => ({ path: column, type }));
}

function partnerOf(slot: string): string {
  return slotPairs[slot] ?? textSlots.find((text) => slotPairs[text] === slot) ?? '';
}

/** The type of all existing values; undefined if there is none, or several, or one that no slot can hold. */
export function typeOfAll(values: readonly unknown[]): LearnableMember['type'] | undefined {
  const lists = values.filter((value) => Array.isArray(value));
  // If some hold a list, a text is a list of one.
  if (lists.length > 0 && values.every((value) => value === null || textsOf(value) !== undefined)) return 'List';
  const types = new Set(values.filter((value) => value !== undefined && value !== null).map(typeOf));
  const [type] = types;
  return types.size === 1 ? type : undefined;
}

function typeOf(value: unknown): LearnableMember['type'] | undefined {
  const type = ({ string: 'String', number: 'Number', boolean: 'Boolean' } as const)[typeof value as 'string'];
  return type !== undefined && slotValue(type, value) !== undefined ? type : undefined;
}

/** The texts in a list, or the single text in its place; undefined for what the rows of a list cannot hold. */
function textsOf(value: unknown): readonly string[] | undefined {
  const texts = new Set([value].flat().filter((each): each is string => typeof each === 'string'));
  const fits = texts.size <= maxListTexts && [...texts].every((text) => text.length <= maxSlotText);
  return fits ? [...texts] : undefined;
}

export interface SlotValues {
  /** The value of each slot column of the bucket. */
  readonly values: Readonly<Record<string, string | number | null>>;
  /** The texts of each list; undefined if the bucket has none. */
  readonly lists: Readonly<Record<string, readonly string[]>> | undefined;
  /** Slots that were exact and cannot hold this document's value. */
  readonly misfits: readonly string[];
}

/** Missing values come first in ascending order: no number is below −Infinity, no text before the empty one. */
const missing = { number: Number.NEGATIVE_INFINITY, text: '' };

export function slotValues(slots: readonly Slot[], document: unknown): SlotValues {
  const values: Record<string, string | number | null> = {};
  const misfits: string[] = [];
  let lists: Record<string, readonly string[]> | undefined;
  for (const slot of slots) {
    if (slot.type === 'List') {
      const texts = slot.state === 'draining' || !slot.exact ? [] : textsOf(memberOf(document, slot));
      lists = { ...lists, [slot.slot]: texts ?? [] };
      if (texts === undefined) misfits.push(slot.slot);
      continue;
    }
    if (slot.state === 'draining' || (slot.learned && !slot.exact)) {
      values[slot.slot] = null;
      continue;
    }
    const value = slotValue(slot.type, memberOf(document, slot));
    values[slot.slot] = value ?? (slot.type === 'String' ? missing.text : missing.number);
    if (value === undefined && slot.exact) misfits.push(slot.slot);
  }
  return { values, lists, misfits };
}

function memberOf(document: unknown, { column, learned }: Slot): unknown {
  return learned ? readPath(document, column.split('.')) : ownMember(document, column);
}

/** Undefined for a value that the slot cannot hold. */
function slotValue(type: SlotType, value: unknown): string | number | undefined {
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
    case 'List':
      return undefined;
  }
}
