import type { Campaign, Figures } from './figures.ts';
import type { ReportPeriod } from './periods.ts';
import { shortDay } from './words.ts';

/** The messages that were valid only for a time, shown with the days of a report because they may explain its numbers. */

const mostNamed = 6;

const within = ({ subject: { campaigns }, from, until }: Figures): readonly Campaign[] =>
  campaigns.filter((campaign) => (campaign.from ?? '') < until && (campaign.last ?? '9999') >= from);

const isIn = (day: string | undefined, { from, until }: ReportPeriod): day is string =>
  day !== undefined && day >= from && day < until;

/** What begins and ends on which day. */
export function campaignMarks(figures: Figures): ReadonlyMap<string, readonly string[]> {
  const marks = new Map<string, string[]>();
  const mark = (day: string | undefined, text: string) => {
    if (isIn(day, figures)) marks.set(day, [...(marks.get(day) ?? []), text]);
  };
  for (const { name, from, last } of within(figures).slice(0, mostNamed)) {
    if (from !== undefined && from === last) mark(from, `${name}: on this day`);
    else {
      mark(from, `${name}: begins`);
      mark(last, `${name}: last day`);
    }
  }
  return marks;
}

/** One sentence about all of them; none where there was none. */
export function campaignsText(figures: Figures): readonly string[] {
  const found = within(figures);
  if (found.length === 0) return [];
  const named = found.slice(0, mostNamed).map(({ name, from, last }) => `${name} (${daysText(from, last)})`);
  const more = found.length > mostNamed ? ` and ${found.length - mostNamed} more` : '';
  return [`Campaigns in this time: ${named.join(', ')}${more}.`];
}

function daysText(from: string | undefined, last: string | undefined): string {
  if (from === undefined) return `until ${shortDay(last ?? '')}`;
  if (last === undefined) return `from ${shortDay(from)}`;
  return from === last ? shortDay(from) : `${shortDay(from)} to ${shortDay(last)}`;
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
