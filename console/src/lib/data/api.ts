import { createCaller, type OperationId, PharosClient, PharosError } from '@pharos/sdk';
import { type Operations, operations } from '../wire.ts';
import { translatedError } from '../words/translated-error.ts';
import { t } from '../words/words.ts';
import { confirmation } from './signing-in.ts';
import { languageHeaders, pageHeaders } from './whose-page.ts';

const connection = {
  url: '/console/api',
  credentials: 'same-origin',
  // The query cache repeats reads; people repeat writes.
  retry: false,
  repeatedByPeople: true,
  reword: translatedError,
} as const;

const callOnce = createCaller<Operations>(operations, { ...connection, headers: pageHeaders });

/**
 * Calls an operation in the name of the administrator who is signed in in this browser, even if the page is another's. @throws PharosError
 */
export const callAsAnybody = createCaller<Operations>(operations, { ...connection, headers: languageHeaders });

/**
 * Does something for which the service may require the password again: if so, a dialog asks for it, and it is repeated.
 *
 * @throws PharosError
 */
export async function confirmed<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof PharosError) || error.name !== 'ConfirmationNeeded') throw error;
    if (await confirmation.ask()) return run();
    const { name, code, status, requestId } = error;
    throw new PharosError(t('Nothing was changed because the password was not confirmed.'), {
      name,
      code,
      status,
      requestId,
      cause: error,
    });
  }
}

/**
 * Calls one operation of the management interface, and asks for the password again if the service requires it.
 *
 * @throws PharosError
 */
export const call = ((id: keyof Operations, input: never) => confirmed(() => callOnce(id, input))) as typeof callOnce;

const clients = new Map<string, PharosClient>();

/** Client for the data of an app: all of `/api/v2`, with the session in place of the app's key. */
export function dataOf(appId: string): PharosClient {
  const known = clients.get(appId);
  if (known) return known;
  const client = new PharosClient({
    apiUrl: `/console/api/apps/${encodeURIComponent(appId)}/v2`,
    retry: false,
    repeatedByPeople: true,
    reword: translatedError,
    headers: pageHeaders,
  });
  clients.set(appId, client);
  return client;
}

/** Query key of an app's data. Invalidating the key of an operation refreshes everything read through it. */
export const dataKey = (appId: string, operation: OperationId, ...more: readonly unknown[]) =>
  ['apps', appId, 'data', operation, ...more] as const;
