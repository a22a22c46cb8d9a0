import { dayBefore, type Figures, isEmpty } from './figures.ts';
import { changeText, countText, durationText, longDay, sizeOf } from './words.ts';

/** What a report says in plain words. Only numbers that it shows as well go into it. */

/** Below this share a difference is not called one. */
const notable = 0.03;

/** One to four sentences: how many, more or fewer than before, how long they stayed, the fullest day. */
export function storyOf(figures: Figures): readonly string[] {
  const { every, visits } = figures;
  const { total } = visits;
  if (isEmpty(figures)) return [emptyText(figures)];
  if (!total || total.visitors === null)
    return [
      `The number of visitors of the ${every} is not told: beside the numbers of single days it would name small groups.`,
      ...busiest(figures),
    ];
  if (total.visitors === '1-4') return ['There were 1 to 4 visitors; of so few nothing more is told.'];
  return [comparisonText(figures), ...stayText(figures), ...busiest(figures)];
}

function emptyText({ every, visits: { previous, isComplete } }: Figures): string {
  const before = previous?.total?.visitors;
  const was =
    before === undefined || before === null || before === 0
      ? ''
      : ` In the ${every} before there were ${countText(before)}.`;
  const why = isComplete
    ? ' If the venue was open, check whether the app still reports.'
    : ' Some visits are still being counted.';
  return `No visitor was seen in this ${every}.${was}${why}`;
}

function comparisonText({ every, visits: { total, previous } }: Figures): string {
  const [now, before] = [total?.visitors, previous?.total?.visitors];
  const many = `${countText(now)} ${now === 1 ? 'visitor' : 'visitors'}`;
  if (typeof now !== 'number' || before === undefined || before === null) return `There were ${many}.`;
  if (before === 0) return `There were ${many}; in the ${every} before there was none.`;
  if (before === '1-4') return `There were ${many}; in the ${every} before there were 1 to 4.`;
  if (Math.abs(now / before - 1) < notable)
    return `There were ${many}, about as many as in the ${every} before (${countText(before)}).`;
  const word = now > before ? 'more' : 'fewer';
  return `There were ${many}, ${changeText(now, before)?.slice(1)} ${word} than in the ${every} before (${countText(before)}).`;
}

function stayText({ every, visits: { total, previous } }: Figures): string[] {
  const [now, before] = [total?.dwellMedian, previous?.total?.dwellMedian];
  if (now === null || now === undefined) return [];
  const quartiles =
    total?.dwellLowerQuartile == null || total.dwellUpperQuartile == null
      ? ''
      : `, and a quarter longer than ${durationText(total.dwellUpperQuartile)}`;
  const text = `Half of the visits took longer than ${durationText(now)}${quartiles}`;
  if (before === null || before === undefined || before === 0) return [`${text}.`];
  const isAlike = Math.abs(now / before - 1) < 0.1;
  return [
    `${text}; ${isAlike ? 'about as long as' : now > before ? 'longer than' : 'shorter than'} in the ${every} before.`,
  ];
}

function busiest({ every, visits: { rows, previous } }: Figures): string[] {
  const best = rows.reduce<(typeof rows)[number] | undefined>(
    (most, row) => (sizeOf(row.visitors) > sizeOf(most?.visitors) ? row : most),
    undefined,
  );
  if (!best?.start || typeof best.visitors !== 'number') return [];
  const before = previous?.rows.find(({ start }) => start === dayBefore(every, best.start ?? ''))?.visitors;
  const compared = every === 'week' && typeof before === 'number' ? `, after ${countText(before)} a week before` : '';
  return [`Most came on ${longDay(best.start)}: ${countText(best.visitors)}${compared}.`];
}
