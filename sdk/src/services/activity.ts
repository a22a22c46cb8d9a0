import type { Body, Call, Query } from '../call.ts';

/** Who was where, and why a message was shown or not. */
export const activityService = (call: Call) => ({
  visits: (query: Query = {}) => call('listVisits', { query }),
  visit: async (objectId: string) => (await call('getVisit', { params: { objectId } })).result,
  events: (query: Query = {}) => call('listEvents', { query }),
  /** With the verdict on each message that could have been shown. */
  event: async (objectId: string) => (await call('getEvent', { params: { objectId } })).result,
  verdicts: (query: Query = {}) => call('listVerdicts', { query }),
  /** What would happen; nothing is stored or sent. */
  simulate: async (body: Body<'simulateSightings'>) => (await call('simulateSightings', { body })).result,
});
