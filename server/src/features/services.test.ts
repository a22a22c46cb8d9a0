import assert from 'node:assert/strict';
import { test } from 'vitest';
import { provide } from './services.ts';

interface Parts {
  readonly given: number;
  readonly doubled: number;
  readonly later: () => number;
  readonly circle: number;
  readonly round: number;
}

test('what a context has is made once, when it is first asked for, and what needs itself is named', () => {
  const made: string[] = [];
  const parts = provide<Parts, 'doubled' | 'later' | 'circle' | 'round'>(
    { given: 21 },
    {
      doubled({ given }) {
        made.push('doubled');
        return given * 2;
      },
      later: (context) => () => context.doubled,
      circle: ({ round }) => round,
      round: ({ circle }) => circle,
    },
  );
  const { later } = parts;
  assert.deepEqual(made, []);
  assert.deepEqual([later(), later(), parts.doubled], [42, 42, 42]);
  assert.deepEqual(made, ['doubled']);
  assert.throws(() => parts.circle, /^Error: circle is needed to make itself\.$/);
});
