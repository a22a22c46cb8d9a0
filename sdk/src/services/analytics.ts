import type { Answer, Call, CallOptions } from '../call.ts';
import * as operations from '../operations.ts';
import type { Operations } from '../wire.ts';

/** How many visitors there were, when and where, how long they stayed, and what messages led to. */
export const analyticsService = (call: Call) => ({
  /** Last month in the app's time zone, unless `from` and `until` (days; the second is not included) say otherwise. */
  visits: async (
    query: Operations['getVisitNumbers']['query'] = {},
    options: CallOptions = {},
  ): Promise<Answer<'getVisitNumbers'>['result']> =>
    (await call(operations.getVisitNumbers, { query, ...options })).result,
  /** What the next open day may bring, with how far such a forecast would have been off before. */
  forecast: async (
    query: Operations['getForecast']['query'] = {},
    options: CallOptions = {},
  ): Promise<Answer<'getForecast'>['result']> => (await call(operations.getForecast, { query, ...options })).result,
  /** How many may be in each zone at once on the next open day, and how long they may stay there. */
  zoneForecasts: async (
    query: Operations['getZoneForecasts']['query'] = {},
    options: CallOptions = {},
  ): Promise<Answer<'getZoneForecasts'>['result']> =>
    (await call(operations.getZoneForecasts, { query, ...options })).result,
  /** Who is now in the zones and venues that have a limit (`capacity`), and where there are too many. */
  occupancy: async (options: CallOptions = {}): Promise<Answer<'listOccupancy'>['results']> =>
    (await call(operations.listOccupancy, options)).results,
  /** What messages led to, by message and group. */
  messages: async (
    query: Operations['getMessageNumbers']['query'] = {},
    options: CallOptions = {},
  ): Promise<Answer<'getMessageNumbers'>['result']> =>
    (await call(operations.getMessageNumbers, { query, ...options })).result,
  /** Ways between zones: from one to the next one, and from coming to one to coming to another one later. */
  flows: async (
    query: Operations['getFlows']['query'] = {},
    options: CallOptions = {},
  ): Promise<Answer<'getFlows'>['result']> => (await call(operations.getFlows, { query, ...options })).result,
  /** The commonest paths through a venue. */
  paths: async (
    query: Operations['getPaths']['query'] = {},
    options: CallOptions = {},
  ): Promise<Answer<'getPaths'>['result']> => (await call(operations.getPaths, { query, ...options })).result,
  /** How many were at a zone at once, at most. */
  peaks: async (
    query: Operations['getPeaks']['query'] = {},
    options: CallOptions = {},
  ): Promise<Answer<'getPeaks'>['result']> => (await call(operations.getPeaks, { query, ...options })).result,
});
