import type { FastifyRequest } from 'fastify';
import type { IdempotencyKeys } from '../limits/idempotency.ts';
import { type Call, type Endpoint, JsonText } from './endpoint.ts';
import type { HandlerAnswer } from './mount-endpoints.ts';

interface Once {
  readonly keys: IdempotencyKeys;
  /** Whose the key is; null for a caller with the app key alone. */
  readonly caller: string | null;
  readonly handle: (call: Call<unknown, unknown>) => Promise<HandlerAnswer>;
}

/** Carries out a request once if it has an `Idempotency-Key` and the endpoint takes one. */
export function handleOnce(
  request: FastifyRequest,
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
  { keys, caller, handle }: Once,
): Promise<HandlerAnswer> {
  const { repeat } = endpoint;
  const key = request.raw.headers['idempotency-key'];
  if (key === undefined || !repeat) return handle(call);
  const repeatable = {
    appId: call.app.appId,
    caller,
    address: `${request.method} ${request.url}`,
    key: String(key),
    body: request.body,
    now: call.now,
  };
  return keys.once<HandlerAnswer>(repeatable, {
    create: (creation) => handle({ ...call, ...creation }),
    repeat: (creation) => replayed(repeat(creation)),
  });
}

/** Says that it was done before. */
export function replayed(answer: JsonText | object): JsonText {
  const [text, headers] = answer instanceof JsonText ? [answer.text, answer.headers] : [JSON.stringify(answer), {}];
  return new JsonText(text, { ...headers, [replayedName]: 'true' });
}

const replayedName = 'idempotency-replayed';

export const isReplayed = (answer: HandlerAnswer): boolean =>
  answer instanceof JsonText && answer.headers?.[replayedName] !== undefined;
