import { type TSchema, Type } from 'typebox';
import { exampleCreated, exampleId, timestampSchema } from '../answers.ts';
import { type Json, plain } from './openapi.ts';

export interface WebhookCall {
  readonly event: string;
  readonly summary: string;
  readonly data: TSchema;
  readonly example?: object;
  /** What counts is the answer. */
  readonly answer?: { readonly schema: TSchema; readonly example: object };
}

/** As Standard Webhooks has them (https://www.standardwebhooks.com). */
const headers = [
  ['webhook-id', 'The same for each try'],
  ['webhook-timestamp', 'Seconds since 1970'],
  ['webhook-signature', 'v1, a comma, and HMAC-SHA256 of id, timestamp and body, joined by dots; several by spaces'],
].map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
}));

/** The `webhooks` of an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.0#openapi-object). */
export const webhooksOf = (calls: readonly WebhookCall[]): Json =>
  Object.fromEntries(
    calls.map(({ event, summary, data, example: dataExample = {}, answer }) => {
      const schema = Type.Object({ type: Type.Literal(event), timestamp: timestampSchema, appId: Type.String(), data });
      const example = { type: event, timestamp: exampleCreated, appId: exampleId, data: dataExample };
      const post = {
        operationId: `on${event.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        summary,
        security: [],
        parameters: headers,
        requestBody: { required: true, content: { 'application/json': { schema: plain(schema), example } } },
        responses: answer
          ? {
              '2XX': {
                description: 'What becomes of it',
                content: { 'application/json': { schema: plain(answer.schema), example: answer.example } },
              },
            }
          : {
              '2XX': { description: 'It has arrived' },
              '410': { description: 'The webhook is switched off' },
            },
      };
      return [event, { post }];
    }),
  );
