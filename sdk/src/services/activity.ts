import type { Body, Call, CallOptions, Query } from '../call.ts';

/** Who was where, and why a message was shown or not. */
export const activityService = (call: Call) => ({
  visits: (query: Query = {}, options: CallOptions = {}) => call('listVisits', { query, ...options }),
  visit: async (objectId: string, options: CallOptions = {}) =>
    (await call('getVisit', { params: { objectId }, ...options })).result,
  events: (query: Query = {}, options: CallOptions = {}) => call('listEvents', { query, ...options }),
  /** With the verdict on each message that could have been shown. */
  event: async (objectId: string, options: CallOptions = {}) =>
    (await call('getEvent', { params: { objectId }, ...options })).result,
  verdicts: (query: Query = {}, options: CallOptions = {}) => call('listVerdicts', { query, ...options }),
  /** What would happen; nothing is stored or sent. */
  simulate: async (body: Body<'simulateSightings'>, options: CallOptions = {}) =>
    (await call('simulateSightings', { body, ...options })).result,
  /** Visitors who walk across a floor: where they are and are believed to be, and what they would be shown. */
  simulateWalks: async (body: Body<'simulateWalks'>, options: CallOptions = {}) =>
    (await call('simulateWalks', { body, ...options })).result,
});
