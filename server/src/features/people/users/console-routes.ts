import { isDeepStrictEqual } from 'node:util';
import { type Static, Type } from 'typebox';
import type { Clock } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { deletedAnswer, listAnswer, objectIdSchema, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import {
  assertConfirmed,
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../../http/console/console-endpoint.ts';
import { plainAnswer } from '../../../http/hidden-members.ts';
import { defineShape } from '../../../http/shape.ts';
import { readIfMatch, tagOfRow } from '../../../resources/entity-tag.ts';
import { listParameters, listRecords } from '../../../resources/lists/list.ts';
import type { ManagedKind } from '../../managed-kind.ts';
import { erasedAnswer } from './answers.ts';
import { venueIdsSchema } from './schemas.ts';
import type { UserService } from './service.ts';
import { sessionRecord } from './session-routes.ts';
import { countSessions } from './session-store.ts';
import type { SessionService } from './sessions.ts';
import { findUser, venuesOf } from './store.ts';
import { userAdminTable, userDetailTable, usersTag } from './tables.ts';

const role = Type.Enum(['user', 'manager']);
const changeShape = defineShape(Type.Object({ role, disabled: Type.Boolean(), venueIds: venueIdsSchema }));
type Changes = Partial<Static<typeof changeShape.schema>>;

const userMembers = {
  objectId: objectIdSchema,
  firstname: Type.String(),
  lastname: Type.String(),
  email: Type.String({ description: 'Empty if there is none' }),
  emailVerifiedAt: Type.Optional(timestampSchema),
  role,
  disabledAt: Type.Optional(timestampSchema),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
};
const textOrNull = Type.Union([Type.String(), Type.Null()]);
const detailSchema = Type.Object({
  ...userMembers,
  middlename: textOrNull,
  country: textOrNull,
  phone: textOrNull,
  metadata: Type.Object({}),
  venueIds: venueIdsSchema,
  hasPassword: Type.Boolean(),
  identities: Type.Array(
    Type.Object({
      provider: Type.Union([Type.String(), Type.Null()], { description: 'Null if the app does not have it any more' }),
      issuer: Type.String(),
      email: textOrNull,
      createdAt: timestampSchema,
      lastUsedAt: timestampSchema,
    }),
    { description: 'Who the user is at identity providers' },
  ),
  sessions: Type.Integer({ minimum: 0, description: 'Sessions that are not over' }),
  lastUsedAt: Type.Union([timestampSchema, Type.Null()], {
    description: 'When one of them was last used, to the day; null if there is none',
  }),
});
interface Deps {
  readonly db: Db;
  readonly now: Clock;
  readonly listIdentities: (key: { readonly appId: string; readonly userId: string }) => Promise<readonly object[]>;
  readonly service: Pick<UserService, 'erase' | 'changeUser'>;
  readonly sessions: Pick<SessionService, 'list' | 'endFor'>;
}

const keyOf = ({ params: { appId = '', userId = '' } }: Pick<ConsoleCall<unknown>, 'params'>) => ({ appId, userId });

/** The users of an app, for callers who may see or change them. */
export function userConsoleEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [list(deps), get(deps), change(deps), erase(deps), listSessions(deps), endSession(deps)];
}

function list(deps: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'GET',
    path: '/apps/:appId/users',
    operationId: 'listAppUsers',
    summary: 'List the users of an app',
    description: '`where` and `order` accept every returned member.',
    permission: 'users.read',
    query: listParameters,
    answer: listAnswer(Type.Object(userMembers)),
    async handle({ params: { appId = '' }, query }) {
      const scope = userAdminTable.match({ app_id: appId });
      return plainAnswer(
        await listRecords(deps.db, userAdminTable, { scope, query, defaultLimit: 100, tenant: appId }),
      );
    },
  });
}

function get(deps: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'GET',
    path: '/apps/:appId/users/:userId',
    operationId: 'getAppUser',
    summary: 'Get a user of an app',
    permission: 'users.read',
    answer: recordAnswer(detailSchema),
    async handle(call) {
      const key = keyOf(call);
      const row = await findUser(deps.db, key);
      if (!row) throw fail('ObjectNotFound', 'There is no user with this objectId.');
      call.setTag(tagOfRow(userDetailTable, row));
      const { sessions, lastUsedAt } = await countSessions(deps.db, key, deps.now());
      const used = lastUsedAt === null ? null : new Date(lastUsedAt).toISOString();
      const identities = await deps.listIdentities(key);
      const hasPassword = row.password_hash !== null;
      return { result: { ...userDetailTable.decode(row), hasPassword, identities, sessions, lastUsedAt: used } };
    },
  });
}

function change(deps: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'PUT',
    path: '/apps/:appId/users/:userId',
    operationId: 'changeAppUser',
    summary: "Change a user's role or venues, or switch the user off or on; disabling ends all tokens",
    description: 'Making somebody a manager, who sees what all users do, needs a confirmation like administrators.',
    permission: 'users.change',
    body: {
      schema: Type.Partial(changeShape.schema),
      example: { role: 'manager' },
      read: (body) => changeShape.readUpdate(body).set,
    },
    answer: deletedAnswer,
    takesIfMatch: true,
    async handle(call) {
      const { body, by, assertUnchanged, setTag } = call;
      if (body.role === 'manager') assertConfirmed(signedIn(call.admin), call.now);
      setTag(await deps.service.changeUser(keyOf(call), body, { by, assertUnchanged }));
    },
  });
}

export function userKind({ db, service }: Pick<Deps, 'db' | 'service'>): ManagedKind {
  return {
    permission: 'users.change',
    name: usersTag.name,
    isPeople: true,
    needsConfirmation: (change) => (change as Changes).role === 'manager',
    read: (change) => changeShape.readUpdate(change).set,
    async change({ appId, objectId: userId }, change, seen) {
      const key = { appId, userId };
      const row = await findUser(db, key);
      if (!row) throw fail('ObjectNotFound', 'There is no user with this objectId.');
      const present = { role: row.role, disabled: row.disabled_at !== null, venueIds: venuesOf(row) ?? [] };
      const of = (other: object) => Object.fromEntries(Object.entries(present).filter(([name]) => name in other));
      const updatedAt = new Date(row.updated_at).toISOString();
      if (seen && !isDeepStrictEqual(of(seen), { ...seen })) {
        if (isDeepStrictEqual(of(change), { ...change })) return { was: of(seen), updatedAt, isAlready: true };
        throw fail('PreconditionFailed');
      }
      const assertUnchanged = seen && readIfMatch({ 'if-match': tagOfRow(userDetailTable, row) });
      await service.changeUser(key, change, { by: undefined, assertUnchanged });
      return { was: of(change), updatedAt };
    },
  };
}

function erase(deps: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'DELETE',
    path: '/apps/:appId/users/:userId',
    operationId: 'eraseAppUser',
    summary: 'Erase a user',
    description:
      'The account, its tokens and its installations are deleted, and all that is known of the person is erased. The audit ' +
      'names the receipt.',
    permission: 'users.change',
    needsConfirmation: true,
    answer: erasedAnswer,
    async handle(call) {
      return { result: { erasureId: await deps.service.erase(keyOf(call), call.by) } };
    },
  });
}

const { isCurrent: _, ...sessionMembers } = sessionRecord.schema.properties;

/** Sessions that are shown; there may be more. */
const maxSessions = 100;

function listSessions(deps: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'GET',
    path: '/apps/:appId/users/:userId/sessions',
    operationId: 'listAppUserSessions',
    summary: 'Where a user is signed in',
    description: `The newest ${maxSessions}. A session is what one sign-in has begun.`,
    permission: 'users.read',
    answer: listAnswer(Type.Object(sessionMembers)),
    async handle(call) {
      const found = await deps.sessions.list(keyOf(call), '', maxSessions);
      return { results: found.map(({ isCurrent, ...session }) => session) };
    },
  });
}

function endSession(deps: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'DELETE',
    path: '/apps/:appId/users/:userId/sessions/:sessionId',
    operationId: 'endAppUserSession',
    summary: 'End a session of a user',
    permission: 'users.change',
    answer: deletedAnswer,
    handle: (call) => deps.sessions.endFor(keyOf(call), call.params['sessionId'] ?? '', call.by),
  });
}
