import { queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';

type Asked = Parameters<ReturnType<typeof dataOf>['analytics']['visits']>[0];

export type VisitNumbers = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['visits']>>;
export type NumberRow = VisitNumbers['rows'][number];
export type Count = NumberRow['visits'];

/** Numbers change while visitors are there. */
const refreshMs = 60_000;

export const numbersQuery = (appId: string, asked: Asked) =>
  queryOptions({
    queryKey: dataKey(appId, 'getVisitNumbers', asked),
    queryFn: () => dataOf(appId).analytics.visits(asked),
    refetchInterval: refreshMs,
  });

export const forecastQuery = (appId: string, place: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: dataKey(appId, 'getForecast', place),
    queryFn: () => dataOf(appId).analytics.forecast(place),
  });

export type ZoneForecast = Awaited<
  ReturnType<ReturnType<typeof dataOf>['analytics']['zoneForecasts']>
>['zones'][number];

export const zoneForecastsQuery = (appId: string, place: Readonly<Record<string, string>>) =>
  queryOptions({
    queryKey: dataKey(appId, 'getZoneForecasts', place),
    queryFn: () => dataOf(appId).analytics.zoneForecasts(place),
  });

export type Flows = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['flows']>>;
export type Paths = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['paths']>>;
export type Flow = Flows['moves'][number];
export type WayPlace = NonNullable<Flow['from']>;

export const flowsQuery = (
  appId: string,
  asked: Parameters<ReturnType<typeof dataOf>['analytics']['flows']>[0],
  isEnabled = true,
) =>
  queryOptions({
    queryKey: dataKey(appId, 'getFlows', asked),
    queryFn: () => dataOf(appId).analytics.flows(asked),
    refetchInterval: refreshMs,
    enabled: isEnabled,
  });

export const pathsQuery = (appId: string, asked: Parameters<ReturnType<typeof dataOf>['analytics']['paths']>[0]) =>
  queryOptions({
    queryKey: dataKey(appId, 'getPaths', asked),
    queryFn: () => dataOf(appId).analytics.paths(asked),
    refetchInterval: refreshMs,
  });

export const peaksQuery = (appId: string, asked: Parameters<ReturnType<typeof dataOf>['analytics']['peaks']>[0]) =>
  queryOptions({
    queryKey: dataKey(appId, 'getPeaks', asked),
    queryFn: () => dataOf(appId).analytics.peaks(asked),
    refetchInterval: refreshMs,
  });

export type MessageNumbers = Awaited<ReturnType<ReturnType<typeof dataOf>['analytics']['messages']>>;
export type OneMessage = MessageNumbers['messages'][number];
export type GroupRow = OneMessage['groups'][number];

export const messagesQuery = (
  appId: string,
  asked: Parameters<ReturnType<typeof dataOf>['analytics']['messages']>[0],
) =>
  queryOptions({
    queryKey: dataKey(appId, 'getMessageNumbers', asked),
    queryFn: () => dataOf(appId).analytics.messages(asked),
    refetchInterval: refreshMs,
  });
