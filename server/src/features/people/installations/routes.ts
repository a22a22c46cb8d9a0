import { seesAll } from '../../../access/caller.ts';
import { type ProvingCaller, proofOf } from '../../../access/installation-proof.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { createdAnswer, isoTime, updatedAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint, OtherAnswer } from '../../../http/endpoint.ts';
import { type Changes, sentence } from '../../../http/shape.ts';
import { replacementSchema } from '../../../resources/change-schemas.ts';
import { readIfMatch, tagged } from '../../../resources/entity-tag.ts';
import { getEndpoint, listEndpoint, locateRow } from '../../../resources/read-endpoints.ts';
import { type RemoveOptions, removeEndpoint } from '../../../resources/resource.ts';
import type { Key } from '../../../resources/table.ts';
import type { RegistrationCaller } from './hand-over.ts';
import {
  type Installation,
  installationExample,
  installationShape,
  installations,
  knownAnswer,
  type Registration,
  registrationShape,
} from './resource.ts';
import type { InstallationService } from './service.ts';
import { isUnproven } from './store.ts';

export interface InstallationRouteDeps {
  readonly db: Db;
  readonly service: InstallationService;
  /** Erases its traces; called in the transaction that deletes it. */
  readonly forget: (db: Db, appId: string, objectId: string) => Promise<void>;
}

const { tag, path } = installations;

type LocateOwn = ReturnType<typeof locateRow>;

/**
 * Whoever follows a phone could be a manager whose own phone was found: a person is named by servers, whose secret keys are revoked one by one,
 * and by administrators. Where the preset is that of the specification, managers go on doing so.
 */
const mayNameOthers = (caller: ProvingCaller) =>
  seesAll(caller) && (caller.user === undefined || caller.app.rules.preset === 'specification');

/** A secret key that creates installations and does not update them leaves those that are known as they are. */
const mayChangeOthers = (caller: ProvingCaller) =>
  seesAll(caller) && (caller.secretKey?.scopes.include({ of: 'installations', verb: 'update' }) ?? true);

const registrant = (caller: ProvingCaller): RegistrationCaller => ({
  userId: caller.user?.userId,
  isManager: seesAll(caller),
  namesOthers: mayNameOthers(caller),
  changesOthers: mayChangeOthers(caller),
  policy: caller.app.policy,
  proof: proofOf(caller),
});

export function installationEndpoints(deps: InstallationRouteDeps): Endpoint[] {
  // Listing, getting and deleting work as for any record; writing has its own rules.
  const options: RemoveOptions = {
    ...installations,
    db: deps.db,
    onRemove: (db: Db, key: Key) => deps.forget(db, String(key['app_id']), String(key['object_id'])),
  };
  const reading = [listEndpoint(options, { idsFollowCreation: true }), getEndpoint(options)];
  const removing = removeProven(deps, removeEndpoint(options));
  const locateOwn = locateRow(options, 'update');
  return [register(deps), ...reading, removing, change(deps, 'PUT', locateOwn), change(deps, 'PATCH', locateOwn)];
}

/** If it could be registered again after a deletion, it would belong to anyone who knew its id. */
function removeProven({ db }: InstallationRouteDeps, endpoint: Endpoint): Endpoint {
  return {
    ...endpoint,
    // It erases what is known of somebody.
    needsConfirmation: true,
    description: 'Users delete their own; not one that they have registered by nothing but its installationId.',
    errors: [...endpoint.errors, 'OperationForbidden'],
    locate: async (call) => {
      const located = await endpoint.locate?.(call);
      if (!seesAll(call) && (await isUnproven(db, call.app.appId, call.params['objectId'] ?? '')))
        throw fail(
          'OperationForbidden',
          'It belonged to somebody else, and its device token has not been shown since. Only a manager can delete it.',
        );
      return located;
    },
  };
}

function readRegistration(body: unknown): Registration {
  const sent = registrationShape.readCreate(body);
  if (sent.installationId !== undefined || sent.deviceToken !== undefined) return sent;
  const details = [{ field: 'installationId', problem: 'is required unless deviceToken is given' }];
  throw fail('ValidationError', { message: sentence(details), details });
}

function register({ service }: InstallationRouteDeps): Endpoint {
  return endpoint<Registration>({
    method: 'POST',
    path,
    operationId: 'registerInstallation',
    tag,
    summary: 'Register an installation',
    description:
      'Call it at every start of the app. An installation that is known by its installationId, else by its deviceToken, ' +
      'is updated as by PUT and answered with 200. A deviceToken that another installation has moves to this one. With a ' +
      'bearer it is linked to that user; a bearer that is no longer valid is ignored. Registered without the bearer of ' +
      'its user and without the stored deviceToken (as deviceToken or previousDeviceToken) it loses its user. With ' +
      '`Installation-Secret` it gets that secret; from then on it is registered only with it or with the bearer of its user. Of `consents` ' +
      'each purpose that is named is decided anew, and the others stay. A secret key without `installations:update` registers new ones only.',
    grant: { of: 'installations', verb: 'create', open: 'phone' },
    takesInstallationSecret: true,
    body: { schema: registrationShape.schema, example: installationExample, read: readRegistration },
    answer: createdAnswer,
    otherAnswer: knownAnswer,
    errors: ['ValidationError', 'ObjectNotFound', 'OperationForbidden', 'Timeout'],
    handle: async (call) => {
      const { app, body } = call;
      const { objectId, createdAt, updatedAt, isNew } = await service.register(app.appId, body, registrant(call));
      const result = { createdAt: isoTime(createdAt), objectId };
      return isNew ? { result } : new OtherAnswer({ result: { ...result, updatedAt: isoTime(updatedAt) } });
    },
  });
}

function change({ service }: InstallationRouteDeps, method: 'PUT' | 'PATCH', locateOwn: LocateOwn): Endpoint {
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
      ' installationId and deviceType cannot change. Of `consents` each purpose that is named is decided anew, and the others ' +
      'stay.',
    grant: { of: 'installations', verb: 'update' },
    body: {
      schema: replacementSchema(installationShape.schema),
      example: { channels: installationExample.channels, appVersion: installationExample.appVersion },
      read: (body) => installationShape.readUpdate(body),
    },
    answer: updatedAnswer,
    takesIfMatch: true,
    errors: ['ValidationError', 'ObjectNotFound', 'OperationForbidden', 'Timeout'],
    locate: async (call) => void (await locateOwn(call)),
    handle: async (call) => {
      const { app, params, body, headers } = call;
      const key = { appId: app.appId, objectId: params['objectId'] ?? '' };
      const how = { merge, by: registrant(call), assertUnchanged: readIfMatch(headers) };
      const { updatedAt, tag } = await service.change(key, body, how);
      return tagged(JSON.stringify({ result: { updatedAt: isoTime(updatedAt) } }), tag);
    },
  });
}
