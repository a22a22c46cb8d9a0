import type { FastifyRequest } from 'fastify';
import type { Change } from '../../access/audit.ts';
import type { AppContext } from '../../access/context.ts';
import { isAllowed } from '../../access/roles.ts';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import type { IdempotencyKeys } from '../../limits/idempotency.ts';
import { auditedHandle, storesNothing, withAgent } from '../audited-handle.ts';
import type { Call, Endpoint } from '../endpoint.ts';
import { isByVenue } from '../grants.ts';
import { assertNotAskedBy, hiddenMembers, withoutMembers } from '../hidden-members.ts';
import type { AssertRoom, HandlerAnswer, Mount } from '../mount-endpoints.ts';
import { handleOnce } from '../once.ts';
import { type AdminContext, assertConfirmed } from './console-endpoint.ts';
import type { ConsoleGuard } from './console-guard.ts';
import { dataPermission } from './console-roles.ts';

/** Below `/console/api`; the path of an endpoint of `/api/v2` follows it. */
const dataPath = '/apps/:appId/v2';

export interface ConsoleDataOptions {
  readonly endpoints: readonly Endpoint[];
  /** Also returns an app that is switched off. @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<AppContext>;
  readonly record: (change: Change) => Promise<void>;
  readonly assertRoom: AssertRoom;
  /** A person presses a button again whose answer was lost. */
  readonly idempotencyKeys: IdempotencyKeys;
}

interface Options extends ConsoleDataOptions {
  readonly guard: ConsoleGuard;
  readonly now: Clock;
}

declare module 'fastify' {
  interface FastifyRequest {
    admin: AdminContext | undefined;
  }
}

/** The endpoints that administrators may reach, each with some role. */
function reachable(endpoints: readonly Endpoint[]): readonly Endpoint[] {
  return endpoints.filter((endpoint) => dataPermission(endpoint) !== undefined);
}

/**
 * Lets administrators work with an app's data through the endpoints of `/api/v2`, with a session and a role instead of
 * the app's credentials, policy and bearer. `call.user` is never set, and no rate limit applies.
 */
export function consoleData(options: Options): Mount {
  const { endpoints, guard, now } = options;
  return {
    endpoints: reachable(endpoints),
    prefix: dataPath,
    assertRoom: options.assertRoom,
    shownAs: (_, { administrator, role, venues }) => JSON.stringify([administrator, role, venues]),
    async admit(request, endpoint) {
      const permission = dataPermission(endpoint);
      if (!permission) throw new Error(`${endpoint.operationId} is not for the console`);
      request.admin = await guard.admitToData(request, permission, isByVenue(endpoint) ? 'venues' : undefined);
      if (endpoint.needsConfirmation) assertConfirmed(request.admin, now());
      const { appId = '' } = request.params as Record<string, string | undefined>;
      const app = await options.findApp(appId.includes('\0') ? '' : appId);
      const { email: administrator, role, venues } = request.admin;
      return { app, user: undefined, isAdministrator: true, administrator, role, venues, now: now() };
    },
    handle: (request, endpoint, call) => handle(request, endpoint, call, options),
  };
}

async function handle(
  request: FastifyRequest,
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
  { endpoints, record, idempotencyKeys: keys }: Options,
): Promise<HandlerAnswer> {
  const admin = request.admin as AdminContext;
  if (endpoint.method !== 'GET') {
    if (storesNothing.has(endpoint.operationId)) return endpoint.handle(call);
    const by = { name: withAgent(admin.email, admin.agent?.name), address: request.ip };
    return handleOnce(request, endpoint, call, {
      keys,
      caller: isOfImport(request) ? 'administrators' : `administrator ${admin.adminId}`,
      handle: (call) => auditedHandle(endpoint, call, { endpoints, record, by }),
    });
  }
  const hidden = endpoint.tag.hides;
  if (!hidden || isAllowed(admin.role, hidden.permission)) return endpoint.handle(call);
  assertNotAskedBy(call.query, hiddenMembers(hidden, call.app));
  if (call.app.pseudonyms && hidden.underPseudonyms && call.query['limit'] !== '0') throw onlyCounted();
  return withoutMembers(await endpoint.handle(call), hidden.members);
}

/** Two people may take in the same file at the same moment: such a key says what is to be there once, whoever sends it. */
const isOfImport = ({ raw }: FastifyRequest) => String(raw.headers['idempotency-key'] ?? '').startsWith('import:');

const onlyCounted = () =>
  fail(
    'OperationForbidden',
    'Phones have pseudonyms in this app, which change every day, and your role does not read installations. Ask with count=1 and limit=0 for how many there are.',
  );
