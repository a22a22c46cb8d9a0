import type { dataOf } from '../../lib/data/api.ts';
import { dataQuery } from '../../lib/data/api.ts';

type Asked = Parameters<ReturnType<typeof dataOf>['analytics']['visits']>[0];

export type VisitNumbers = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['visits']>>;
export type NumberRow = VisitNumbers['rows'][number];
export type Count = NumberRow['visits'];

/** Numbers change while visitors are there. */
const refreshMs = 60_000;

export const numbersQuery = (appId: string, asked: Asked) => ({
  ...dataQuery(appId, 'getVisitNumbers', [asked], (data) => data.analytics.visits(asked)),
  refetchInterval: refreshMs,
});

export const forecastQuery = (appId: string, place: Readonly<Record<string, string>>) =>
  dataQuery(appId, 'getForecast', [place], (data) => data.analytics.forecast(place));

export type ZoneForecast = Awaited<
  ReturnType<ReturnType<typeof dataOf>['analytics']['zoneForecasts']>
>['zones'][number];

export const zoneForecastsQuery = (appId: string, place: Readonly<Record<string, string>>) =>
  dataQuery(appId, 'getZoneForecasts', [place], (data) => data.analytics.zoneForecasts(place));

export type Flows = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['flows']>>;
export type Paths = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['paths']>>;
export type Flow = Flows['moves'][number];
export type WayPlace = NonNullable<Flow['from']>;

export const flowsQuery = (
  appId: string,
  asked: Parameters<ReturnType<typeof dataOf>['analytics']['flows']>[0],
  isEnabled = true,
) => ({
  ...dataQuery(appId, 'getFlows', [asked], (data) => data.analytics.flows(asked)),
  refetchInterval: refreshMs,
  enabled: isEnabled,
});

export const pathsQuery = (appId: string, asked: Parameters<ReturnType<typeof dataOf>['analytics']['paths']>[0]) => ({
  ...dataQuery(appId, 'getPaths', [asked], (data) => data.analytics.paths(asked)),
  refetchInterval: refreshMs,
});

export const peaksQuery = (appId: string, asked: Parameters<ReturnType<typeof dataOf>['analytics']['peaks']>[0]) => ({
  ...dataQuery(appId, 'getPeaks', [asked], (data) => data.analytics.peaks(asked)),
  refetchInterval: refreshMs,
});

export type MessageNumbers = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['messages']>>;
export type OneMessage = MessageNumbers['messages'][number];
export type GroupRow = OneMessage['groups'][number];

export const messagesQuery = (
  appId: string,
  asked: Parameters<ReturnType<typeof dataOf>['analytics']['messages']>[0],
) => ({
  ...dataQuery(appId, 'getMessageNumbers', [asked], (data) => data.analytics.messages(asked)),
  refetchInterval: refreshMs,
});
