import { addDays, type Every, type ReportPeriod, startOf } from './periods.ts';

/** The figures of a report, as `GET /analytics/…` answers them to whoever gets it: nothing is counted here. */

/** A number, `1-4` where small groups are protected, or null where it is withheld. */
export type Count = number | '1-4' | null;

interface Metrics {
  readonly visitors: Count;
  readonly newVisitors: Count;
  readonly returningVisitors: Count;
  readonly visits: Count;
  readonly dwellMedian: number | null;
  readonly dwellLowerQuartile: number | null;
  readonly dwellUpperQuartile: number | null;
}
type Row = Metrics & {
  readonly start?: string;
  readonly weekday?: number;
  readonly hour?: number;
  readonly zoneId?: string;
};
interface VisitPeriod extends ReportPeriod {
  readonly total: Metrics | null;
  readonly rows: readonly Row[];
}
interface VisitAnswer extends VisitPeriod {
  readonly timeZone: string;
  readonly isProtected: boolean;
  readonly isComplete: boolean;
  readonly previous?: VisitPeriod;
}
interface PeakAnswer {
  readonly rows: readonly { readonly zoneId?: string; readonly start?: string; readonly peak: Count }[];
}
export interface MessageAnswer {
  readonly messages: readonly {
    readonly name: string | null;
    readonly groups: readonly {
      readonly group: string;
      readonly reached: Count;
      readonly shown: Count;
      readonly openedBy: Count;
      readonly acted: Count;
      /** The share of `reached` that acted, with its 95 % interval; null if withheld. */
      readonly share: number | null;
      readonly shareLow: number | null;
      readonly shareHigh: number | null;
    }[];
    readonly comparisons: readonly { readonly text: string }[];
  }[];
}

interface Answers {
  readonly getVisitNumbers: VisitAnswer;
  readonly getPeaks: PeakAnswer;
  readonly getMessageNumbers: MessageAnswer;
}

/** Calls an endpoint as the person who gets the report; undefined where the console would refuse that person. */
export type Ask = <Name extends keyof Answers>(
  operation: Name,
  query: Readonly<Record<string, string>>,
) => Promise<Answers[Name] | undefined>;

interface DayHours {
  readonly from: string;
  readonly until: string;
}

/** When a place is open; undefined where nobody knows. */
export interface Calendar {
  readonly week: readonly (DayHours & { readonly dayName: string })[] | undefined;
  readonly exceptions: readonly {
    readonly date: string;
    readonly name?: string;
    readonly hours: readonly DayHours[];
  }[];
}

/** A message that is valid only for a time: its first and its last day, on the clocks of the app. */
export interface Campaign {
  readonly name: string;
  readonly from: string | undefined;
  readonly last: string | undefined;
}

export interface ReportSubject {
  readonly appId: string;
  readonly venueId: string | null;
  /** Of the venue, or of the app. */
  readonly name: string;
  readonly appName: string;
  /** Of the venue's clocks; days are counted in the zone of the app. */
  readonly timeZone: string;
  readonly calendar: Calendar | undefined;
  readonly zones: ReadonlyMap<string, { readonly name: string; readonly kind: string }>;
  /** Of the venue, or of the whole app. */
  readonly campaigns: readonly Campaign[];
}

export interface Figures extends ReportPeriod {
  readonly every: Every;
  readonly subject: ReportSubject;
  readonly visits: VisitAnswer;
  readonly hours: readonly Row[];
  readonly zones: readonly Row[];
  /** Undefined if the recipient may not see them. */
  readonly peaks: PeakAnswer | undefined;
  readonly messages: MessageAnswer | undefined;
}

/** @throws Failure as the endpoints do */
export async function readFigures(
  ask: Ask,
  subject: ReportSubject,
  every: Every,
  period: ReportPeriod,
): Promise<Figures> {
  const { from, until } = period;
  const place: Record<string, string> = subject.venueId === null ? {} : { venueId: subject.venueId };
  const visits = await ask('getVisitNumbers', { from, until, interval: 'day', compare: 'previous', ...place });
  if (!visits) throw new Error('the numbers of visits were not answered');
  const hours = await ask('getVisitNumbers', { from, until, interval: 'hourOfWeek', ...place });
  const zones = await ask('getVisitNumbers', { from, until, interval: 'total', groupBy: 'zone', ...place });
  return {
    from,
    until,
    every,
    subject,
    visits,
    hours: hours?.rows ?? [],
    zones: zones?.rows ?? [],
    peaks: await ask('getPeaks', { from, until, interval: 'day', ...place }),
    // Messages are counted for the app as a whole: in the report of one venue they would reveal the others.
    messages: subject.venueId === null ? await ask('getMessageNumbers', { from, until }) : undefined,
  };
}

/** The day to which a day is compared: the same weekday, or the same number of the month before; undefined: there is none. */
export function dayBefore(every: Every, day: string): string | undefined {
  if (every === 'week') return addDays(day, -7);
  const before = `${startOf('month', addDays(`${day.slice(0, 7)}-01`, -1)).slice(0, 7)}-${day.slice(8)}`;
  return Number.isNaN(Date.parse(`${before}T00:00:00Z`)) || addDays(before, 0) !== before ? undefined : before;
}

export const isEmpty = ({ visits }: Figures): boolean => visits.total?.visitors === 0;
