import type { SecretKey } from '../../access/keys/secret-key.ts';
import { standingIn } from '../../access/reach.ts';
import { isAllowed } from '../../access/roles.ts';
import { fail } from '../../base/errors.ts';
import { apiPrefix } from '../api.ts';
import type { AdminContext } from '../console/console-endpoint.ts';
import { dataPermission } from '../console/console-roles.ts';
import type { Endpoint } from '../endpoint.ts';
import { isByVenue } from '../grants.ts';
import type { ToolOperation } from './tools.ts';

/** For whom an agent acts. What it is not for does not exist as a tool; the interface decides about each call anew. */
export interface AgentCaller {
  isFor(operation: ToolOperation): boolean;
  readonly mayWrite: boolean;
  /** The operations are below it. */
  readonly prefix: string;
  /** Why there is no such tool for it. */
  lacks(name: string): string;
}

export const keyCaller = ({ scopes }: SecretKey): AgentCaller => ({
  isFor: (operation) => operation.isFor(scopes),
  mayWrite: true,
  prefix: apiPrefix,
  lacks: (name) => `The secret key does not have the scope for ${name}.`,
});

/** Operations that an agent may have for somebody, as the table of roles says; it cannot give a password. */
export function operationsOfRoles(endpoints: readonly Endpoint[]): ReadonlyMap<string, Endpoint> {
  const possible = endpoints.filter((one) => dataPermission(one) !== undefined && !one.needsConfirmation);
  return new Map(possible.map((one) => [one.operationId, one]));
}

/** @throws Failure EnrolmentNeeded; ObjectNotFound when the administrator does not reach the app any more */
export function roleCaller(admin: AdminContext, operations: ReadonlyMap<string, Endpoint>): AgentCaller {
  const { appId = '', mayWrite = false } = admin.agent ?? {};
  if (admin.mustEnrol) throw fail('EnrolmentNeeded');
  const standing = standingIn(admin, appId);
  if (!standing) throw fail('ObjectNotFound', `There is no app ${appId}.`);
  const { role, venues } = standing;
  return {
    isFor({ tool }) {
      const endpoint = operations.get(tool.name);
      if (!endpoint || (venues && !isByVenue(endpoint))) return false;
      const permission = dataPermission(endpoint);
      return permission !== undefined && isAllowed(role, permission);
    },
    mayWrite,
    prefix: `/console/api/apps/${appId}/v2`,
    lacks: (name) => `The role ${role}${venues ? ', limited to some venues,' : ''} does not include ${name}.`,
  };
}
