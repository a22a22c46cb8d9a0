import { canonical } from '../../lib/text/json-compare.ts';

/** The named parts of a form or of a document. */
export type Parts = Readonly<Record<string, unknown>>;

/** A part that somebody else has changed since the form was opened. */
export interface Difference {
  readonly name: string;
  readonly mine: unknown;
  readonly theirs: unknown;
  /** Both have changed it, to different values: a person has to choose. */
  readonly isConflict: boolean;
}

export type Choice = 'mine' | 'theirs';

/** Whether two values are the same; the order of members makes no difference. */
export const isSame = (a: unknown, b: unknown): boolean => canonical(a ?? null) === canonical(b ?? null);

/** The members that differ, as they are in `now`. */
export function changedParts(base: Parts, now: Parts): Parts {
  return Object.fromEntries(
    namesOf(base, now).flatMap((name) => (isSame(base[name], now[name]) ? [] : [[name, now[name]]])),
  );
}

/** What others have changed: `base` is what the form began with, `theirs` what is stored now. */
export function differences({ base, mine, theirs }: Readonly<Record<'base' | 'mine' | 'theirs', Parts>>): Difference[] {
  return namesOf(base, mine, theirs)
    .filter((name) => !isSame(base[name], theirs[name]) && !isSame(mine[name], theirs[name]))
    .map((name) => ({
      name,
      mine: mine[name],
      theirs: theirs[name],
      isConflict: !isSame(base[name], mine[name]),
    }));
}

/** One's own changes over what is stored now, except where theirs was chosen. */
export function merged(
  { base, mine, theirs }: Readonly<Record<'base' | 'mine' | 'theirs', Parts>>,
  choices: Readonly<Record<string, Choice>>,
): Parts {
  const result = new Map(Object.entries(theirs));
  for (const name of namesOf(base, mine, theirs)) {
    const isMine = choices[name] ? choices[name] === 'mine' : !isSame(base[name], mine[name]);
    if (!isMine) continue;
    if (name in mine) result.set(name, mine[name]);
    else result.delete(name);
  }
  return Object.fromEntries(result);
}

function namesOf(...all: readonly Parts[]): string[] {
  return [...new Set(all.flatMap((parts) => Object.keys(parts)))];
}
