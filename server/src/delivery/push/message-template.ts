import { randomUUID } from 'node:crypto';
import type { PushContent } from './push-sender.ts';

const mark = randomUUID();

/** JSON text with gaps: made once for a content, filled for every recipient. */
export type MessageTemplate<Slot extends string> = (values: Readonly<Record<Slot, string>>) => string;

/** `build` gets the placeholder for each slot and puts it where a string's value, or a part of it, belongs. */
export function template<Slot extends string>(
  slots: readonly Slot[],
  build: (slot: Readonly<Record<Slot, string>>) => unknown,
): MessageTemplate<Slot> {
  const standIns = Object.fromEntries(slots.map((slot) => [slot, `${mark}${slot};`])) as Record<Slot, string>;
  const [head = '', ...rest] = JSON.stringify(build(standIns)).split(mark);
  const pieces = rest.map((piece) => {
    const end = piece.indexOf(';');
    return { slot: piece.slice(0, end) as Slot, text: piece.slice(end + 1) };
  });
  return (values) => {
    let json = head;
    for (const { slot, text } of pieces) json += JSON.stringify(values[slot]).slice(1, -1) + text;
    return json;
  };
}

/** Caches what is derived from a content for as long as the content is referenced. */
export function perContent<Derived>(
  derive: (content: PushContent, variant: string) => Derived,
): (content: PushContent, variant?: string) => Derived {
  const kept = new WeakMap<PushContent, Map<string, Derived>>();
  return (content, variant = '') => {
    let variants = kept.get(content);
    if (!variants) {
      variants = new Map();
      kept.set(content, variants);
    }
    let derived = variants.get(variant);
    if (derived === undefined) {
      derived = derive(content, variant);
      variants.set(variant, derived);
    }
    return derived;
  };
}

/**
 * The app's members beside our own or the provider's: a taken name gets the prefix `data_`, so that nothing is lost or
 * overwritten.
 */
export function besideReserved(
  data: Readonly<Record<string, unknown>>,
  isReserved: (name: string) => boolean,
): [name: string, value: unknown][] {
  const names = new Set(Object.keys(data).filter((name) => !isReserved(name)));
  return Object.entries(data)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      if (!isReserved(name)) return [name, value];
      let free = `data_${name}`;
      while (names.has(free)) free = `data_${free}`;
      names.add(free);
      return [free, value];
    });
}

/** True if there is text or a picture to show. */
export function isShown(content: PushContent): boolean {
  return hasText(content) || content.image !== undefined;
}

export function hasText({ title, body }: PushContent): boolean {
  return title !== undefined || body !== undefined;
}

/** The remaining lifetime of a message in whole seconds, never negative. */
export function secondsLeft(expiresAt: number, now: number): number {
  return Math.max(0, Math.floor((expiresAt - now) / 1000));
}
