import type { Campaign, Figures } from './figures.ts';
import type { ReportPeriod } from './periods.ts';
import type { ReportWords } from './words.ts';

/** The messages that were valid only for a time, shown with the days of a report because they may explain its numbers. */

const maxNamed = 6;

const within = ({ subject: { campaigns }, from, until }: Figures): readonly Campaign[] =>
  campaigns.filter((campaign) => (campaign.from ?? '') < until && (campaign.last ?? '9999') >= from);

const isIn = (day: string | undefined, { from, until }: ReportPeriod): day is string =>
  day !== undefined && day >= from && day < until;

/** What begins and ends on which day. */
export function campaignMarks(figures: Figures, words: ReportWords): ReadonlyMap<string, readonly string[]> {
  const marks = new Map<string, string[]>();
  const mark = (day: string | undefined, text: string) => {
    if (isIn(day, figures)) marks.set(day, [...(marks.get(day) ?? []), text]);
  };
  for (const { name, from, last } of within(figures).slice(0, maxNamed)) {
    if (from !== undefined && from === last) mark(from, words.t('{name}: on this day', { name }));
    else {
      mark(from, words.t('{name}: begins', { name }));
      mark(last, words.t('{name}: last day', { name }));
    }
  }
  return marks;
}

/** One sentence about all of them; none where there was none. */
export function campaignsText(figures: Figures, words: ReportWords): readonly string[] {
  const found = within(figures);
  if (found.length === 0) return [];
  const named = found.slice(0, maxNamed).map(({ name, from, last }) => `${name} (${daysText(from, last, words)})`);
  const campaigns = named.join(', ');
  const more = found.length - maxNamed;
  if (more > 0) return [words.t('Campaigns in this time: {campaigns} and {more} more.', { campaigns, more })];
  return [words.t('Campaigns in this time: {campaigns}.', { campaigns })];
}

function daysText(from: string | undefined, last: string | undefined, words: ReportWords): string {
  if (from === undefined) return words.t('until {day}', { day: words.shortDay(last ?? '') });
  if (last === undefined) return words.t('from {day}', { day: words.shortDay(from) });
  if (from === last) return words.shortDay(from);
  return words.t('{from} to {until}', { from: words.shortDay(from), until: words.shortDay(last) });
}

/** The days of a campaign, from its times (ms): one that ends at midnight has its last day before. */
export function campaignOf(
  name: string,
  { from, until }: { readonly from: number | undefined; readonly until: number | undefined },
  dayOf: (at: number) => string,
): Campaign {
  return {
    name,
    from: from === undefined ? undefined : dayOf(from),
    last: until === undefined ? undefined : dayOf(until - 1),
  };
}
