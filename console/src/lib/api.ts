import { createCaller, PharosClient } from '@pharos/sdk';
import { type Operations, operations } from './wire.ts';

/** Calls one operation of the management interface. @throws PharosError */
export const call = createCaller<Operations>(operations, {
  url: '/console/api',
  credentials: 'same-origin',
  // What is read is asked again by the query cache; what is written, by a person.
  retry: false,
});

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
