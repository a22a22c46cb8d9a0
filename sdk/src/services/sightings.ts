import type { Body, Call, CallOptions } from '../call.ts';
import { SightingQueue, type SightingQueueOptions } from '../sighting-queue.ts';

/** What a phone has sensed of the beacons around it. */
export const sightingService = (call: Call) => ({
  /** Returns the resulting events, and the messages to show now. */
  send: async (body: Body<'sendSightings'>, options: CallOptions = {}) =>
    (await call('sendSightings', { body, ...options })).result,
  /** Keeps sightings while the service cannot be reached. */
  queue: (options: SightingQueueOptions) => new SightingQueue(call, options),
});
