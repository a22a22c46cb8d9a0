import assert from 'node:assert/strict';
import { test } from 'vitest';
import { datesInWords } from '../../src/lib/text/dates-in-words.ts';
import { verdictReason } from '../../src/lib/text/event-words.ts';

test('days and moments in sentences of the service are written as elsewhere on a page', () => {
  for (const [said, shown] of [
    ['it starts on 2026-03-03 09:00 in Europe/Vienna.', 'it starts on 3 Mar 2026, 09:00 in Europe/Vienna.'],
    ['the venue does not open on 2026-12-24.', 'the venue does not open on 24 Dec 2026.'],
    [
      'It answers again since 4 May 2026 at 09:30 (Europe/Vienna). The log says why.',
      'It answers again since 4 May 2026, 09:30 (Europe/Vienna). The log says why.',
    ],
    ['2026-13-41 and 2026-05-04T09:30:00Z and 12026-05-04', '2026-13-41 and 2026-05-04T09:30:00Z and 12026-05-04'],
  ])
    assert.equal(datesInWords(said as string), shown);
  assert.equal(
    verdictReason('Not shown: it ended on 2026-03-03 09:00 in UTC.'),
    'It ended on 3 Mar 2026, 09:00 in UTC.',
  );
});
