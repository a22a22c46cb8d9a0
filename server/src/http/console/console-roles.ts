import type { Permission } from '../../access/roles.ts';
import type { Endpoint } from '../endpoint.ts';

/** Exceptions from the rule for the tag; null: only for apps. */
const dataOperations: Readonly<Record<string, Permission | null>> = Object.freeze({
  listUsers: 'users.read',
  uploadFile: 'files.upload',
  reportReceipts: null,
  reportFromGateway: null,
});

/** What an administrator needs for an operation of `/api/v2`, by its tag; undefined when it is for apps only. */
export function dataPermission(operation: Pick<Endpoint, 'operationId' | 'tag' | 'method'>): Permission | undefined {
  const special = dataOperations[operation.operationId];
  if (special !== undefined) return special ?? undefined;
  return operation.tag.console?.[operation.method === 'GET' ? 'read' : 'write'];
}
