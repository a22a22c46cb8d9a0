import { createCaller, PharosClient, PharosError } from '@pharos/sdk';
import { type Operations, operations } from '../wire.ts';
import { toldError } from '../words/told-error.ts';
import { t } from '../words/words.ts';
import { confirmation } from './confirmation.ts';

const callOnce = createCaller<Operations>(operations, {
  url: '/console/api',
  credentials: 'same-origin',
  // The query cache repeats reads; people repeat writes.
  retry: false,
  reword: toldError,
});

/**
 * Calls one operation of the management interface. If the service requires the password again, a dialog asks for it and
 * the call is repeated.
 *
 * @throws PharosError
 */
export const call = (async (id: keyof Operations, input: never) => {
  try {
    return await callOnce(id, input);
  } catch (error) {
    if (!(error instanceof PharosError) || error.name !== 'ConfirmationNeeded') throw error;
    if (await confirmation.ask()) return callOnce(id, input);
    const { name, code, status, requestId } = error;
    throw new PharosError(t('Nothing was changed because the password was not confirmed.'), {
      name,
      code,
      status,
      requestId,
      cause: error,
    });
  }
}) as typeof callOnce;

const clients = new Map<string, PharosClient>();

/** Client for the data of an app: all of `/api/v2`, with the session in place of the app's key. */
export function dataOf(appId: string): PharosClient {
  const known = clients.get(appId);
  if (known) return known;
  const client = new PharosClient({
    apiUrl: `/console/api/apps/${encodeURIComponent(appId)}/v2`,
    retry: false,
    reword: toldError,
  });
  clients.set(appId, client);
  return client;
}
