import { isDeepStrictEqual } from 'node:util';
import type { AppContext } from '../../../access/context.ts';
import { isAllowed, type Permission } from '../../../access/roles.ts';
import { ofNoVenue } from '../../../access/venue-limit.ts';
import { Failure, fail } from '../../../base/errors.ts';
import { assertConfirmed, type ConsoleCall, signedIn } from '../../../http/console/console-endpoint.ts';
import { dataPermission } from '../../../http/console/console-roles.ts';
import { carryOut, dataCall } from '../../../http/console/data-call.ts';
import { type Endpoint, JsonText } from '../../../http/endpoint.ts';
import { isByVenue } from '../../../http/grants.ts';
import type { HandlerAnswer } from '../../../http/mount-endpoints.ts';
import type { Context } from '../../context.ts';
import type { ManagedKind } from '../../managed-kind.ts';
import { type Bulk, type ManagedOperation, managedOperations, type One } from './schemas.ts';

export interface BulkDeps extends Pick<Context, 'db' | 'assertRoom' | 'endpoints'> {
  /** Also an app that is switched off. @throws Failure ObjectNotFound */
  readonly findApp: (appId: string) => Promise<AppContext>;
  readonly managed: Readonly<Record<ManagedOperation, ManagedKind>>;
  /** The trash: puts one record at a time back, without an entry in the audit. @throws Failure OperationForbidden, ObjectNotFound */
  readonly restoring: (call: ConsoleCall<Bulk>, of: DeletedOf) => Promise<(recordId: string) => Promise<void>>;
}

/** What is taken out of the trash. */
interface DeletedOf {
  readonly app: AppContext;
  readonly kind: string;
  /** Of records. */
  readonly bucketName: string | undefined;
}

export interface Done {
  readonly objectId: string;
  readonly updatedAt: string | undefined;
  readonly was?: object;
  /** It was so before, for instance after a request whose answer was lost, and is not counted as done. */
  readonly isAlready?: true;
}

export interface Target {
  /** As the audit calls them. */
  readonly name: string;
  readonly does: 'change' | 'delete' | 'restore';
  /** Their members may be personal, and are not kept in the audit. */
  readonly isPersonal: boolean;
  /** The audit names each of them. */
  readonly isPeople: boolean;
  /** @throws Failure as the operation does */
  readonly change: (one: One) => Promise<Omit<Done, 'objectId'>>;
}

const isManaged = (operation: string): operation is ManagedOperation =>
  (managedOperations as readonly string[]).includes(operation);

/** @throws Failure OperationForbidden, ObjectNotFound, ConfirmationNeeded */
export async function targetOf(deps: BulkDeps, call: ConsoleCall<Bulk>): Promise<Target> {
  const { operation } = call.body;
  if (operation === 'restoreDeleted') return restoreTarget(deps, call);
  return isManaged(operation) ? managedTarget(deps, call, deps.managed[operation]) : dataTarget(deps, call);
}

function assertMay({ admin }: ConsoleCall<Bulk>, permission: Permission | undefined, isByVenue: boolean): void {
  const { role, venues } = signedIn(admin);
  if (!permission || !isAllowed(role, permission))
    throw fail('OperationForbidden', `The role ${role} does not include this (${permission}).`);
  if (venues && !isByVenue) throw ofNoVenue();
}

async function restoreTarget(deps: BulkDeps, call: ConsoleCall<Bulk>): Promise<Target> {
  const { kind = '', bucketName } = call.body;
  deps.assertRoom('create');
  const app = await deps.findApp(call.params['appId'] ?? '');
  const putBack = await deps.restoring(call, { app, kind, bucketName });
  return {
    name: bucketName ?? `${kind.slice(0, 1).toUpperCase()}${kind.slice(1)}`,
    does: 'restore',
    isPersonal: bucketName !== undefined,
    isPeople: false,
    async change({ objectId }) {
      await putBack(objectId);
      return { updatedAt: undefined };
    },
  };
}

function managedTarget(deps: BulkDeps, call: ConsoleCall<Bulk>, kind: ManagedKind): Target {
  const { change, records = [] } = call.body;
  assertMay(call, kind.permission, false);
  const common = kind.read(change ?? {});
  const changes = [common, ...records.flatMap(({ change }) => (change ? [kind.read(change)] : []))];
  if (changes.some((one) => kind.needsConfirmation?.(one))) assertConfirmed(signedIn(call.admin), call.now);
  if (!kind.deletes) deps.assertRoom('change');
  const appId = call.params['appId'] ?? '';
  const { email, apps: reach } = signedIn(call.admin);
  return {
    name: kind.name,
    does: kind.deletes ? 'delete' : 'change',
    isPersonal: false,
    isPeople: kind.isPeople ?? false,
    change: ({ objectId, seen, change }) =>
      kind.change({ appId, objectId, who: { email, reach } }, change ? kind.read(change) : common, seen),
  };
}

async function dataTarget(deps: BulkDeps, call: ConsoleCall<Bulk>): Promise<Target> {
  const { operation } = call.body;
  const named = (id: string) => deps.endpoints().find(({ operationId }) => operationId === id) as Endpoint;
  const endpoint = named(operation);
  assertMay(call, dataPermission(endpoint), isByVenue(endpoint));
  if (endpoint.body) deps.assertRoom('change');
  const app = await deps.findApp(call.params['appId'] ?? '');
  const reading = named(operation.replace(/^(patch|update|delete)/, 'get'));
  const { tag, method } = endpoint;
  return {
    name: call.body.bucketName ?? tag.name,
    does: method === 'DELETE' ? 'delete' : 'change',
    isPersonal: tag.isPersonal ?? false,
    isPeople: false,
    change: (one) => changeOne({ app, endpoint, reading }, call, one),
  };
}

interface Operation {
  readonly app: AppContext;
  readonly endpoint: Endpoint;
  readonly reading: Endpoint;
}

/** @throws Failure as the operation does */
async function changeOne(
  { app, endpoint, reading }: Operation,
  call: ConsoleCall<Bulk>,
  one: One,
): Promise<Omit<Done, 'objectId'>> {
  const { bucketName, change } = call.body;
  // Files are named otherwise in their path.
  const params = { objectId: one.objectId, file: one.objectId, ...(bucketName === undefined ? {} : { bucketName }) };
  const headers: Record<string, string> = {};
  const wanted = one.change ?? change ?? {};
  if (one.updatedAt !== undefined) {
    const seen = await carryOut(reading, dataCall(call, app, { params }), undefined).catch((error: unknown) => {
      if (endpoint.method === 'DELETE' && error instanceof Failure && error.name === 'ObjectNotFound') return undefined;
      throw error;
    });
    // It was there when it was chosen: somebody has deleted it, perhaps this request when its answer was lost.
    if (seen === undefined) return { updatedAt: undefined, isAlready: true };
    if (updatedAtOf(seen) !== one.updatedAt) {
      if (!hasAlready(recordOf(seen), wanted, endpoint.method)) throw fail('PreconditionFailed');
      return { updatedAt: updatedAtOf(seen), isAlready: true };
    }
    // Nobody comes in between.
    headers['if-match'] = (seen as JsonText).headers?.['etag'] ?? '*';
  }
  const answer = await carryOut(endpoint, dataCall(call, app, { params, headers }), wanted);
  return { updatedAt: updatedAtOf(answer) };
}

type Plain = Readonly<Record<string, unknown>>;

/** Of an answer; some are in an array. */
function recordOf(answer: HandlerAnswer): Plain {
  const { result } = (answer instanceof JsonText ? JSON.parse(answer.text) : answer) as { readonly result?: unknown };
  const [row] = Array.isArray(result) ? result : [result];
  return (row ?? {}) as Plain;
}

const updatedAtOf = (answer: HandlerAnswer) => recordOf(answer)['updatedAt'] as string | undefined;

/** Whether a record has what a change gives it. A PATCH goes into objects. */
function hasAlready(record: Plain, change: object, method: Endpoint['method']): boolean {
  if (method === 'DELETE') return false;
  return Object.entries(change).every(([name, value]) => {
    const has = record[name] ?? null;
    if (method === 'PATCH' && isPlain(value) && isPlain(has)) return hasAlready(has, value, method);
    return isDeepStrictEqual(has, value);
  });
}

/** An object that is no pointer: a pointer counts as one value. */
const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !('__type' in value);
