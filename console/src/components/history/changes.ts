import type { ReactNode } from 'react';
import { canonical, differenceText } from '../../lib/text/json-compare.ts';
import { t } from '../../lib/words/words.ts';

export interface Changed {
  /** A dotted name, such as `message.alertTitle`. */
  readonly name: string;
  readonly before: unknown;
  readonly after: unknown;
}

type State = Readonly<Record<string, unknown>>;

/** The members that differ, with dotted names; those of the service itself are left out. */
export function changesOf(before: State, after: State): readonly Changed[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !ofService.has(name));
  return names.flatMap((name) => between(name, before[name], after[name]));
}

const ofService: ReadonlySet<string> = new Set(['objectId', 'createdAt', 'updatedAt', 'createdBy']);

function between(name: string, before: unknown, after: unknown): readonly Changed[] {
  if (canonical(before ?? null) === canonical(after ?? null)) return [];
  if (!isPlain(before) || !isPlain(after)) return [{ name, before, after }];
  const inside = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return inside.flatMap((member) => between(`${name}.${member}`, before[member], after[member]));
}

/** A pointer or a date is one value. */
const isPlain = (value: unknown): value is State =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('__type' in value);

/** How the members of a record are called and shown. */
export interface Words {
  readonly labels: Readonly<Record<string, string>>;
  readonly show?: Readonly<Record<string, (value: never) => ReactNode>> | undefined;
}

export function labelOf(name: string, { labels }: Words): string {
  const parts = name.split('.');
  for (let end = parts.length; end > 0; end--) {
    const known = labels[parts.slice(0, end).join('.')];
    if (known) return end === parts.length ? known : `${known} (${parts.slice(end).join(' ')})`;
  }
  return name;
}

export function shownValue(name: string, value: unknown, { show = {} }: Words): ReactNode {
  const plain = isPointer(value) ? value.objectId : value;
  if (value !== undefined && value !== null && show[name]) return show[name](plain as never);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (value === '') return t('empty');
  return differenceText(plain);
}

function isPointer(value: unknown): value is { readonly objectId: string } {
  return typeof value === 'object' && value !== null && 'objectId' in value && '__type' in value;
}
