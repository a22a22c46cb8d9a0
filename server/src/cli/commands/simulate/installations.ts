import { type Reply, refusal, type ServiceClient, ServiceError } from '../../support/service-client.ts';

/** The installations of virtual visitors, marked so that they can be recognised and removed. */

const prefix = 'simulated:';

export const runNamePattern = /^[A-Za-z0-9_.-]{1,60}$/;
export const installationIdOf = (run: string, visitor: string | number) => `${prefix}${run}:${visitor}`;

export interface SimulatedVisitor {
  readonly run: string;
  readonly visitor: string | number;
}

/** False when it was stopped in the meantime. @throws ServiceError */
export async function register(client: ServiceClient, { run, visitor }: SimulatedVisitor): Promise<boolean> {
  const body = {
    installationId: installationIdOf(run, visitor),
    deviceType: 'android',
    appName: 'pharos simulate',
    metadata: { simulated: run },
  };
  const reply = await client.patiently('POST', '/installations', () => body);
  if (reply && reply.status >= 300) throw new ServiceError(`No installation could be registered: ${refusal(reply)}`);
  return reply !== undefined;
}

interface Listed {
  readonly objectId: string;
  readonly installationId: string;
  readonly metadata?: { readonly simulated?: unknown };
}

const pageSize = 500;

/**
 * Deletes the installations of one run, or of all, with everything they left behind. Returns how many. @throws
 * ServiceError
 */
export async function removeSimulated(client: ServiceClient, run: string | undefined): Promise<number> {
  const begin = run === undefined ? prefix : `${prefix}${run}:`;
  // The character after the colon: every id with this prefix lies between the two.
  const end = `${begin.slice(0, -1)};`;
  let removed = 0;
  for (let last = begin; ; ) {
    const where = { installationId: { $gt: last, $lt: end } };
    const query = new URLSearchParams({ where: JSON.stringify(where), order: 'installationId', limit: `${pageSize}` });
    const reply = await client.patiently('GET', `/installations?${query}`);
    if (!reply) return removed;
    assertAllowed(reply);
    const page = reply.body.results as Listed[];
    // A real installation could have such an id; only the mark makes it one of ours.
    const ours = page.filter(({ metadata }) => typeof metadata?.simulated === 'string');
    await client.forEach(ours, async ({ objectId }) => {
      const reply = await client.patiently('DELETE', `/installations/${objectId}`);
      // 404: another command was faster.
      if (reply && reply.status >= 300 && reply.status !== 404) throw new ServiceError(refusal(reply));
      if (reply?.status === 200) removed++;
    });
    if (page.length < pageSize) return removed;
    last = page.at(-1)?.installationId ?? end;
  }
}

/** @throws ServiceError that says how to get permission */
function assertAllowed(reply: Reply): void {
  if (reply.status < 300) return;
  if (reply.body?.code === 209)
    throw new ServiceError(
      'This needs a signed-in user: pass --token or set TOKEN to an accessToken from POST /users/signin.',
    );
  throw new ServiceError(refusal(reply));
}
