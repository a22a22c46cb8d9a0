import { useState } from 'react';

/** Small things that somebody has arranged for themselves, kept on this device: columns of a list, filters by name. */

const prefix = 'pharos kept ';
/** Characters; the browser allows a few megabytes for everything. */
const longest = 100_000;

function read<T>(name: string, isValid: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(prefix + name) ?? 'null');
    return isValid(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What is kept under a name, and how to replace it. What an older version has kept and this one cannot read counts as nothing. */
export function useKept<T>(
  name: string,
  isValid: (value: unknown) => value is T,
  nothing: T,
): readonly [T, (next: T) => void] {
  const [state, setState] = useState(() => ({ name, value: read(name, isValid) ?? nothing }));
  // Another list of the same page.
  if (state.name !== name) setState({ name, value: read(name, isValid) ?? nothing });
  const set = (value: T) => {
    setState({ name, value });
    try {
      const text = JSON.stringify(value);
      if (text.length <= longest) localStorage.setItem(prefix + name, text);
    } catch {
      // The storage is full or switched off: it counts until the page is left.
    }
  };
  return [state.value, set];
}

/** A text that is kept under a name of its own; empty if there is none. */
export function keptText(name: string): string {
  try {
    return localStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
}

/** Keeps a text under a name of its own, and forgets it if it is empty. */
export function keepText(name: string, text: string): void {
  try {
    if (text === '') localStorage.removeItem(name);
    else localStorage.setItem(name, text);
  } catch {
    // The storage is full or switched off: it counts until the page is left.
  }
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
