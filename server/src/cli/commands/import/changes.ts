import { isDeepStrictEqual } from 'node:util';
import type { Document, Item } from './item.ts';

/** What an import adds, and what is here and differs: of each record where it stands, and its members. */
export interface Change {
  /** As in the problems: the file, and the line. */
  readonly at: string;
  readonly kind: Exclude<Item['kind'], 'refused'>;
  readonly id: string;
  /** `differs`: it stays as it is. */
  readonly state: 'new' | 'differs';
  /** Of a new one its members; of one that differs those that do. */
  readonly members: readonly string[];
  /** Of one that differs: what its members are here and there; undefined where there is none. */
  readonly here?: Document;
  readonly there?: Document;
}

/** The members that are not the same, as they are here. */
export function differingMembers(here: Document, there: Document): readonly string[] {
  const names = new Set([...Object.keys(here), ...Object.keys(there)]);
  return [...names].filter((name) => !isDeepStrictEqual(here[name], there[name]));
}

/** Changes that are printed one by one; the others are counted. */
export const maxShown = 200;
const maxMembers = 20;
const maxValue = 60;

function listed(all: readonly string[], separator: string): string {
  const more = all.length - maxMembers;
  return all.slice(0, maxMembers).join(separator) + (more > 0 ? `${separator}and ${more} more` : '');
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > maxValue ? `${text.slice(0, maxValue)}…` : text;
}

/** A line of a dry run: what would be added, or the difference. */
export function lineOf({ at, kind, id, state, members, here, there }: Change): string {
  const what = `${at}: ${kind} ${id}`;
  if (state === 'new') return `+ ${what}: ${listed(members, ', ')}`;
  const differences = members.map((name) => `${name} is ${shown(here?.[name])}, there ${shown(there?.[name])}`);
  return `≠ ${what}: ${listed(differences, '; ')}`;
}
