import type { Db } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import { createdAnswer, isoTime, updatedAnswer } from '../../http/answers.ts';
import { replacementSchema } from '../../http/change-schemas.ts';
import { type Endpoint, endpoint, OtherAnswer } from '../../http/endpoint.ts';
import { resourceEndpoints } from '../../http/resource.ts';
import { type Changes, sentence } from '../../http/shape.ts';
import {
  type Installation,
  installationExample,
  installationRecord,
  installationShape,
  knownAnswer,
} from './schemas.ts';
import type { InstallationService } from './service.ts';
import { installationTable } from './store.ts';

export interface InstallationRouteDeps {
  readonly db: Db;
  readonly service: InstallationService;
  /** Forgets where it was; called in the transaction that deletes it. */
  readonly forget: (db: Db, appId: string, objectId: string) => Promise<void>;
}

const tag = 'Installations';
const path = '/installations';

export function installationEndpoints(deps: InstallationRouteDeps): Endpoint[] {
  // Listing, getting and deleting are as for any record; writing has rules of its own.
  const plain = resourceEndpoints({
    db: deps.db,
    table: installationTable,
    noun: ['installation', 'installations'],
    title: ['Installation', 'Installations'],
    tag,
    path,
    shape: installationShape,
    example: installationExample,
    record: installationRecord,
    grants: { read: 'user', create: 'app', write: 'user' },
    defaultLimit: 100,
    onRemove: (db, key) => deps.forget(db, String(key['app_id']), String(key['object_id'])),
  }).filter(({ method }) => method === 'GET' || method === 'DELETE');
  return [register(deps), ...plain, change(deps, 'PUT'), change(deps, 'PATCH')];
}

function readRegistration(body: unknown): Installation {
  const sent = installationShape.readCreate(body);
  if (sent.installationId !== undefined || sent.deviceToken !== undefined) return sent;
  const details = [{ field: 'installationId', problem: 'is required unless deviceToken is given' }];
  throw fail('ValidationError', { message: sentence(details), details });
}

function register({ service }: InstallationRouteDeps): Endpoint {
  return endpoint<Installation>({
    method: 'POST',
    path,
    operationId: 'registerInstallation',
    tag,
    summary: 'Register an installation',
    description:
      'Call it at every start of the app. An installation that is known by its installationId, else by its deviceToken, ' +
      'is updated as by PUT and answered with 200. A deviceToken that another installation has moves to this one.',
    grant: 'app',
    body: { schema: installationShape.schema, example: installationExample, read: readRegistration },
    answer: createdAnswer,
    otherAnswer: knownAnswer,
    errors: ['ValidationError', 'ObjectNotFound', 'Timeout'],
    handle: async ({ app, body }) => {
      const { objectId, createdAt, updatedAt, isNew } = await service.register(app.appId, body);
      const result = { createdAt: isoTime(createdAt), objectId };
      return isNew ? { result } : new OtherAnswer({ result: { ...result, updatedAt: isoTime(updatedAt) } });
    },
  });
}

function change({ db, service }: InstallationRouteDeps, method: 'PUT' | 'PATCH'): Endpoint {
  const merge = method === 'PATCH';
  return endpoint<Changes<Installation>, void>({
    method,
    path: `${path}/:objectId`,
    operationId: merge ? 'patchInstallation' : 'updateInstallation',
    tag,
    summary: merge ? 'Merge changes into an installation' : 'Update an installation',
    description:
      (merge
        ? 'JSON Merge Patch (RFC 7396): metadata is merged member by member, null removes a member.'
        : 'Replaces the members that are sent and keeps the others; null clears an optional member.') +
      ' installationId and deviceType cannot change.',
    grant: 'user',
    body: {
      schema: replacementSchema(installationShape.schema),
      example: { channels: installationExample.channels, appVersion: installationExample.appVersion },
      read: (body) => installationShape.readUpdate(body),
    },
    answer: updatedAnswer,
    errors: ['ValidationError', 'ObjectNotFound', 'Timeout'],
    locate: async ({ app, params }) => {
      const found = await installationTable.find(db, { app_id: app.appId, object_id: params['objectId'] ?? '' });
      if (!found) throw fail('ObjectNotFound', 'There is no installation with this objectId.');
    },
    handle: async ({ app, params, body }) => {
      const key = { appId: app.appId, objectId: params['objectId'] ?? '' };
      return { result: { updatedAt: isoTime(await service.change(key, body, { merge })) } };
    },
  });
}
