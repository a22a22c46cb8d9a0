import type { QueryClient } from '@tanstack/react-query';
import { type Operation, standingOf } from '../../lib/data/access.ts';
import { appQuery, sessionQuery } from '../../lib/data/queries.ts';
import { wallTime } from '../../lib/time/zoned-time.ts';
import { type AnalyticsSearch, intervalOf, type Period, periodOf, placeOf, readAnalyticsSearch } from './period.ts';
import { flowsQuery, messagesQuery, numbersQuery, pathsQuery, peaksQuery } from './queries.ts';
import { siteQuery } from './site.ts';

/** The first requests of pages with numbers, sent while their code is being loaded and used by the pages themselves. */

export function periodIn(zone: string, { unit = 'month', on }: AnalyticsSearch) {
  const today = wallTime(Date.now(), zone).slice(0, 10);
  return { today, period: periodOf(unit, on ?? today) };
}

export interface Asked {
  readonly appId: string;
  readonly period: Period;
  readonly search: AnalyticsSearch;
}

export const visitorsAsked = ({ appId, period: { unit, from, until }, search }: Asked) =>
  numbersQuery(appId, {
    from,
    until,
    interval: intervalOf[unit],
    compare: search.compare ?? 'previous',
    ...placeOf(search),
  });

export const flowsAsked = ({ appId, period: { from, until }, search }: Asked) =>
  flowsQuery(appId, { from, until, ...placeOf(search) });

export const pathsAsked = ({ appId, period: { from, until }, search }: Asked) =>
  pathsQuery(appId, { from, until, ...placeOf(search) });

/** By hour of the week more days are too many. */
const longest = { day: 'hour', week: 'hour', month: 'hourOfWeek', year: 'day' } as const;

export const peaksAsked = ({ appId, period: { unit, from, until }, search }: Asked) =>
  peaksQuery(appId, { from, until, interval: longest[unit], ...placeOf(search) });

export function staysAsked({ appId, period: { from, until }, search }: Asked) {
  const { zoneId: _one, ...place } = placeOf(search);
  const groupBy = search.beacon === undefined ? 'zone' : 'beacon';
  return numbersQuery(appId, { from, until, interval: 'total', groupBy, ...place });
}

export const heatAsked = (
  { appId, period: { from, until } }: Pick<Asked, 'appId' | 'period'>,
  floorId: string,
  groupBy: 'zone' | 'beacon',
) => numbersQuery(appId, { from, until, floorId, groupBy });

/** Of a floor that the address names; others are known with the site. */
export const planAsked = ({ search, ...asked }: Asked) =>
  search.floor === undefined || search.show === 'now' || search.show === 'ways'
    ? []
    : (['zone', 'beacon'] as const).map((groupBy) => heatAsked(asked, search.floor ?? '', groupBy));

export const messagesAsked = ({ appId, period: { from, until }, search }: Asked) =>
  messagesQuery(appId, { from, until, ...placeOf(search) });

type Query = Parameters<QueryClient['prefetchQuery']>[0];

interface Entering {
  readonly context: { readonly queries: QueryClient };
  readonly params: { readonly appId: string };
  readonly location: { readonly search: object };
  readonly cause: 'preload' | 'enter' | 'stay';
}

/**
 * The loader of a page: sends requests while its code is being loaded, and does not wait for them. Errors are shown by the page, which
 * sends the same requests, if it is shown: of whom it is for, `needs` says.
 */
export const asking =
  (needs: Operation, queriesOf: (asked: Asked) => readonly unknown[]) =>
  ({ context: { queries }, params: { appId }, location, cause }: Entering): void => {
    // The user has only pointed at a link.
    if (cause !== 'enter') return;
    const session = queries.getQueryData(sessionQuery.queryKey);
    if (session && !standingOf(session, appId).mayCall(needs)) return;
    void queries.prefetchQuery(siteQuery(appId));
    const search = readAnalyticsSearch(location.search as Record<string, unknown>);
    void queries.ensureQueryData(appQuery(appId)).then(
      ({ policy }) => {
        const { period } = periodIn(policy.timeZone ?? 'UTC', search);
        for (const query of queriesOf({ appId, period, search })) void queries.prefetchQuery(query as Query);
      },
      () => undefined,
    );
  };
