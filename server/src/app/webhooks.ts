import { type TObject, Type } from 'typebox';
import { tracesOfEvents } from '../features/domain-event.ts';
import {
  hookAnswerExample,
  hookAnswerSchema,
  hookDataExample,
  hookDataSchema,
} from '../features/operate/webhooks/hooks/hook-answer.ts';
import { webhookDescriptions, webhookEvents } from '../features/operate/webhooks/schemas.ts';
import type { WebhookCall } from '../http/openapi/webhooks.ts';
import { resources } from './tables.ts';

/** Members of the record that an event is about, as far as they are known at the moment. */
function dataOf(event: string): TObject {
  const rules = tracesOfEvents[event.split('.')[0] ?? ''];
  const found = resources.find((resource) => resource.rules === rules);
  return found ? Type.Partial(found.record.schema) : Type.Object({});
}

const hookCall = {
  data: hookDataSchema,
  example: hookDataExample,
  answer: { schema: hookAnswerSchema, example: hookAnswerExample },
};

export const webhookCalls = (): readonly WebhookCall[] =>
  webhookEvents.map((event) => {
    const description = webhookDescriptions[event];
    const summary = description.charAt(0).toUpperCase() + description.slice(1);
    return event.startsWith('record.') ? { event, summary, ...hookCall } : { event, summary, data: dataOf(event) };
  });
