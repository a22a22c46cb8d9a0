import { dayBefore, type Figures, isEmpty } from './figures.ts';
import { changeText, type ReportWords, sizeOf } from './words.ts';

/** What a report says in plain words. Only numbers that it shows as well go into it. */

/** Below this share a difference is not called one. */
const notable = 0.03;

/** One to four sentences: how many, more or fewer than before, how long they stayed, the fullest day. */
export function storyOf(figures: Figures, words: ReportWords): readonly string[] {
  const { every, visits } = figures;
  const { total } = visits;
  if (isEmpty(figures)) return [emptyText(figures, words)];
  if (!total || total.visitors === null)
    return [
      words.t(
        'The number of visitors of the {every, select, week {week} other {month}} is not told: beside the numbers of single days it would name small groups.',
        { every },
      ),
      ...busiest(figures, words),
    ];
  if (total.visitors === '1-4') return [words.t('There were 1 to 4 visitors; of so few nothing more is told.')];
  return [comparisonText(figures, total.visitors, words), ...stayText(figures, words), ...busiest(figures, words)];
}

function emptyText({ every, visits: { previous, isComplete } }: Figures, words: ReportWords): string {
  const before = previous?.total?.visitors;
  const said = [words.t('No visitor was seen in this {every, select, week {week} other {month}}.', { every })];
  if (before !== undefined && before !== null && before !== 0)
    said.push(
      words.t('In the {every, select, week {week} other {month}} before there were {count}.', {
        every,
        count: words.count(before),
      }),
    );
  said.push(
    isComplete
      ? words.t('If the venue was open, check whether the app still reports.')
      : words.t('Some visits are still being counted.'),
  );
  return said.join(' ');
}

function comparisonText({ every, visits: { previous } }: Figures, now: number, words: ReportWords): string {
  const before = previous?.total?.visitors;
  if (before === undefined || before === null)
    return words.t('There were {now, plural, one {# visitor} other {# visitors}}.', { now });
  if (before === 0)
    return words.t(
      'There were {now, plural, one {# visitor} other {# visitors}}; in the {every, select, week {week} other {month}} before there was none.',
      { now, every },
    );
  if (before === '1-4')
    return words.t(
      'There were {now, plural, one {# visitor} other {# visitors}}; in the {every, select, week {week} other {month}} before there were 1 to 4.',
      { now, every },
    );
  const values = { now, every, before: words.count(before) };
  if (Math.abs(now / before - 1) < notable)
    return words.t(
      'There were {now, plural, one {# visitor} other {# visitors}}, about as many as in the {every, select, week {week} other {month}} before ({before}).',
      values,
    );
  return words.t(
    'There were {now, plural, one {# visitor} other {# visitors}}, {change} {how, select, more {more} other {fewer}} than in the {every, select, week {week} other {month}} before ({before}).',
    { ...values, change: changeText(now, before)?.slice(1) ?? '', how: now > before ? 'more' : 'fewer' },
  );
}

function stayText({ every, visits: { total, previous } }: Figures, words: ReportWords): string[] {
  const [now, before] = [total?.dwellMedian, previous?.total?.dwellMedian];
  if (now === null || now === undefined) return [];
  const stay = words.duration(now);
  const text =
    total?.dwellLowerQuartile == null || total.dwellUpperQuartile == null
      ? words.t('Half of the visits took longer than {stay}', { stay })
      : words.t('Half of the visits took longer than {stay}, and a quarter longer than {long}', {
          stay,
          long: words.duration(total.dwellUpperQuartile),
        });
  if (before === null || before === undefined || before === 0) return [`${text}.`];
  const how = Math.abs(now / before - 1) < 0.1 ? 'alike' : now > before ? 'longer' : 'shorter';
  return [
    words.t(
      '{text}; {how, select, alike {about as long as} longer {longer than} other {shorter than}} in the {every, select, week {week} other {month}} before.',
      { text, how, every },
    ),
  ];
}

function busiest({ every, visits: { rows, previous } }: Figures, words: ReportWords): string[] {
  const best = rows.reduce<(typeof rows)[number] | undefined>(
    (most, row) => (sizeOf(row.visitors) > sizeOf(most?.visitors) ? row : most),
    undefined,
  );
  if (!best?.start || typeof best.visitors !== 'number') return [];
  const before = previous?.rows.find(({ start }) => start === dayBefore(every, best.start ?? ''))?.visitors;
  const values = { day: words.longDay(best.start), count: words.count(best.visitors) };
  if (every !== 'week' || typeof before !== 'number') return [words.t('Most came on {day}: {count}.', values)];
  return [
    words.t('Most came on {day}: {count}, after {before} a week before.', { ...values, before: words.count(before) }),
  ];
}
