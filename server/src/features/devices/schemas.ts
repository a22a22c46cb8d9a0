import { Type } from 'typebox';
import { fail } from '../../base/errors.ts';
import { topicFault } from '../../delivery/mqtt/mqtt-message.ts';
import { exampleCreated, exampleId, exampleUpdated, objectIdSchema, recordStamps } from '../../http/answers.ts';
import { defineShape, sentence } from '../../http/shape.ts';

const members = {
  deviceName: Type.String({ minLength: 3, maxLength: 64 }),
  manufacture: Type.String({ minLength: 3, maxLength: 64 }),
  topic: Type.String({
    minLength: 3,
    maxLength: 64,
    description: 'The topic that the device listens to, without wildcards',
  }),
};

export const deviceShape = defineShape(Type.Object(members), {
  rules: ({ topic }) => {
    const fault = topic === undefined ? undefined : topicFault(topic);
    return fault === undefined ? [] : [{ field: 'topic', problem: fault }];
  },
  // The specification has its own error for the name, and none for the other members.
  failure: (details) => {
    const name = details.some(({ field }) => field === 'deviceName') ? 'deviceName' : 'ValidationError';
    return fail(name, { message: sentence(details), details });
  },
});

export const deviceExample = { deviceName: 'Gateway 3', manufacture: 'Acme', topic: 'museum/gateway-3' };

export const deviceRecord = {
  schema: Type.Object({ objectId: objectIdSchema, ...members, ...recordStamps }),
  example: { objectId: exampleId, ...deviceExample, createdAt: exampleCreated, updatedAt: exampleUpdated },
};
