import type { Body, Call, CallOptions, Query } from '../call.ts';
import * as operations from '../operations.ts';

/** Who was where, and why a message was shown or not. */
export const activityService = (call: Call) => ({
  visits: (query: Query = {}, options: CallOptions = {}) => call(operations.listVisits, { query, ...options }),
  visit: async (objectId: string, options: CallOptions = {}) =>
    (await call(operations.getVisit, { params: { objectId }, ...options })).result,
  events: (query: Query = {}, options: CallOptions = {}) => call(operations.listEvents, { query, ...options }),
  /** With the verdict on each message that could have been shown. */
  event: async (objectId: string, options: CallOptions = {}) =>
    (await call(operations.getEvent, { params: { objectId }, ...options })).result,
  verdicts: (query: Query = {}, options: CallOptions = {}) => call(operations.listVerdicts, { query, ...options }),
  /** What would happen; nothing is stored or sent. */
  simulate: async (body: Body<'simulateSightings'>, options: CallOptions = {}) =>
    (await call(operations.simulateSightings, { body, ...options })).result,
  /** Visitors who walk across a floor: where they are and are believed to be, and what they would be shown. */
  simulateWalks: async (body: Body<'simulateWalks'>, options: CallOptions = {}) =>
    (await call(operations.simulateWalks, { body, ...options })).result,
});
