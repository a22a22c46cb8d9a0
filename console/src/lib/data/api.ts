import { createCaller, PharosClient, PharosError } from '@pharos/sdk';
import { type Operations, operations } from '../wire.ts';
import { askForPassword } from './confirmation.ts';

const callOnce = createCaller<Operations>(operations, {
  url: '/console/api',
  credentials: 'same-origin',
  // What is read is asked again by the query cache; what is written, by a person.
  retry: false,
});

/**
 * Calls one operation of the management interface. Where the service wants the password once more, the person is asked and
 * the call is made again.
 *
 * @throws PharosError
 */
export const call = (async (id: keyof Operations, input: never) => {
  try {
    return await callOnce(id, input);
  } catch (error) {
    if (!(error instanceof PharosError) || error.name !== 'ConfirmationNeeded') throw error;
    if (await askForPassword()) return callOnce(id, input);
    const { name, code, status, requestId } = error;
    throw new PharosError('Nothing was changed: it was not confirmed.', {
      name,
      code,
      status,
      requestId,
      cause: error,
    });
  }
}) as typeof callOnce;

const clients = new Map<string, PharosClient>();

/** The data of one app, as its administrators reach it: the whole `/api/v2` with the session instead of the app's key. */
export function dataOf(appId: string): PharosClient {
  const known = clients.get(appId);
  if (known) return known;
  const client = new PharosClient({
    apiUrl: `/console/api/apps/${encodeURIComponent(appId)}/v2`,
    retry: false,
  });
  clients.set(appId, client);
  return client;
}
