import type { Body, Call, CallOptions } from '../call.ts';
import * as operations from '../operations.ts';

/** What a phone has sensed of the beacons around it. */
export const sightingService = (call: Call) => ({
  /** Returns the resulting events, and the messages to show now. */
  send: async (body: Body<'sendSightings'>, options: CallOptions = {}) =>
    (await call(operations.sendSightings, { body, ...options })).result,
});
