import { useState } from 'react';
import { store, stored } from './storage.ts';

/** Small things that somebody has arranged for themselves, kept on this device: columns of a list, filters by name. */

const prefix = 'pharos kept ';
/** Characters; the browser allows a few megabytes for everything. */
const longest = 100_000;

function read<T>(name: string, isValid: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(stored(prefix + name) ?? 'null');
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
    const text = JSON.stringify(value);
    if (text.length <= longest) store(prefix + name, text);
  };
  return [state.value, set];
}

export const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
