import type { Body, Call, CallOptions } from '../call.ts';
import { SightingQueue, type SightingQueueOptions } from '../sighting-queue.ts';

/** What a phone has sensed of the beacons around it. */
export const sightingService = (call: Call) => ({
  /** Answers the events that follow, and the messages that are to be shown now. */
  send: async (body: Body<'sendSightings'>, options: CallOptions = {}) =>
    (await call('sendSightings', { body, ...options })).result,
  /** Keeps them while there is no way to the service. */
  queue: (options: SightingQueueOptions) => new SightingQueue(call, options),
});
