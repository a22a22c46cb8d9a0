import { Type } from 'typebox';
import { seesWhereabouts } from '../../../access/caller.ts';
import { proofOf } from '../../../access/installation-proof.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import type { Batch } from '../batch/batch.ts';
import { answerExample, answerSchema } from './answer.ts';
import { readSightings, sightingsExample, sightingsSchema } from './schemas.ts';
import type { SightingService } from './service.ts';

export const sightingsTag: Tag = {
  name: 'Sightings',
  description: 'What phones and gateways sense, and the resulting events.',
  place: 100,
};

export function sightingEndpoints(service: SightingService): Endpoint[] {
  return [
    endpoint<Batch>({
      method: 'POST',
      path: '/sightings',
      operationId: 'sendSightings',
      tag: sightingsTag,
      summary: 'Report what a phone or a gateway has sensed',
      description:
        'Up to 1,000 sightings. What follows from them is answered at once: the confirmed events and the messages that ' +
        'fired, so that an app in the foreground shows them. What cannot be used is listed by index and never stops the ' +
        'rest. Sending a batch again is safe: with `eventId` or `occurredAt` nothing is counted twice, and a repetition ' +
        'of the whole batch soon after is answered like the first time. Events, messages and `nearest` are returned only to the phone itself ' +
        '(the bearer of its user where it is linked to one), to managers, and to secret keys with `events:list` or `events:get`; the ' +
        'sightings are processed in any case.',
      grant: 'phone',
      scopes: [{ of: 'sightings', verb: 'create' }],
      takesInstallationSecret: true,
      body: { schema: sightingsSchema, example: sightingsExample, read: readSightings },
      answer: {
        status: 200,
        description: 'Taken.',
        schema: Type.Object({ result: answerSchema }),
        example: { result: answerExample },
      },
      errors: ['ValidationError', 'ObjectNotFound', 'Timeout'],
      handle: async (call) => {
        const { app, body, now } = call;
        const { appId, policy } = app;
        const sender = { appId, policy, now, ...proofOf(call), seesWhereabouts: seesWhereabouts(call) };
        return { result: await service.take(sender, body) };
      },
    }),
  ];
}
