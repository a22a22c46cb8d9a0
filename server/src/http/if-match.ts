import { fail } from '../base/errors.ts';

/** What a caller requires of the record as it is stored now. @throws Failure PreconditionFailed */
export type AssertUnchanged = (tag: string) => void;

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Undefined unless the caller sends If-Match. Call it where nobody else can change the record before you do. */
export function readIfMatch(headers: Headers): AssertUnchanged | undefined {
  const condition = headers['if-match'];
  if (condition === undefined) return undefined;
  const wanted = String(condition).trim();
  return (tag) => {
    // A weak tag never matches: its quotes are preceded by W/.
    if (wanted !== '*' && !wanted.split(',').some((one) => one.trim() === tag)) throw fail('PreconditionFailed');
  };
}
