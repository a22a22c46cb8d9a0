import type { UserContext } from '../../../access/context.ts';
import { fail } from '../../../base/errors.ts';
import type { Db, Row } from '../../../db/db.ts';
import { isoTime, recordAnswer, updatedAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { replacementSchema } from '../../../resources/change-schemas.ts';
import { readIfMatch, tagged, tagOfRow } from '../../../resources/entity-tag.ts';
import { tokenProof } from '../../../sign-in/accounts.ts';
import { type AttemptLimits, isWrongLogin } from '../../../sign-in/attempts.ts';
import { wantsVerified } from '../../../sign-in/link-mail.ts';
import { erasedAnswer } from './answers.ts';
import { meRecord, profileRecord } from './records.ts';
import {
  type AccountChanges,
  accountChangeSchema,
  accountErrors,
  accountExample,
  readAccountChanges,
} from './schemas.ts';
import type { UserService } from './service.ts';
import { profileTable, usersTag } from './tables.ts';

interface SelfDeps {
  readonly db: Db;
  readonly service: UserService;
  readonly limits: AttemptLimits;
}

const mePath = '/users/me';
const idPath = '/users/:objectId';

/** Users' access to their own account, at `/users/me` and at `/users/{objectId}` with their own id. */
export function selfEndpoints(deps: SelfDeps): Endpoint[] {
  return [
    getMe(deps),
    getSelf(deps),
    ...[mePath, idPath].flatMap((path) => [change(deps, path, 'PUT'), change(deps, path, 'PATCH'), erase(deps, path)]),
  ];
}

type Early = { readonly user: UserContext | undefined; readonly params: Readonly<Record<string, string>> };

/** Refuses other people's ids, whether they exist or not, so that nobody learns which do. */
async function onlyOneself({ user, params }: Early): Promise<void> {
  if (params['objectId'] !== undefined && params['objectId'] !== user?.userId)
    throw fail('OperationForbidden', 'Users may read and change only their own account.');
}

const forbidden = (path: string) => (path === idPath ? (['OperationForbidden'] as const) : []);
const ofPath = (path: string) => (path === mePath ? 'Me' : 'User');
const parameters = (path: string) => (path === idPath ? { objectId: "The signed-in user's own objectId" } : undefined);

function signedIn(user: UserContext | undefined): UserContext {
  if (!user) throw fail('InvalidSessionToken');
  return user;
}

async function findProfile(db: Db, appId: string, userId: string): Promise<Row> {
  const row = await profileTable.find(db, { app_id: appId, object_id: userId });
  if (!row) throw fail('InvalidSessionToken');
  return row;
}

function getMe({ db }: SelfDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: mePath,
    operationId: 'getMe',
    tag: usersTag,
    summary: 'Get the signed-in user',
    grant: 'user',
    answer: recordAnswer(meRecord.schema, meRecord.example),
    hasEntityTag: true,
    errors: [],
    handle: async ({ app, user, now }) => {
      const { userId, accessToken, expiresAt } = signedIn(user);
      const row = await findProfile(db, app.appId, userId);
      const { createdAt, updatedAt, ...profile } = profileTable.decode(row);
      const token = {
        accessToken,
        expiresIn: Math.max(0, Math.floor((expiresAt - now) / 1000)),
        expireAt: isoTime(expiresAt).replace('Z', '+00:00'),
        tokenType: 'Bearer',
      };
      // The tag of the account; the token does not change its version.
      return tagged(JSON.stringify({ result: { ...profile, ...token } }), tagOfRow(profileTable, row));
    },
  });
}

function getSelf({ db }: SelfDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: idPath,
    operationId: 'getUser',
    tag: usersTag,
    summary: 'Get a user',
    description: 'Only oneself.',
    grant: 'user',
    parameters: parameters(idPath),
    answer: recordAnswer(profileRecord.schema, profileRecord.example),
    hasEntityTag: true,
    errors: forbidden(idPath),
    locate: onlyOneself,
    handle: async ({ app, user }) => {
      const row = await findProfile(db, app.appId, signedIn(user).userId);
      return tagged(`{"result":${profileTable.render(row)}}`, tagOfRow(profileTable, row));
    },
  });
}

function change({ service, limits }: SelfDeps, path: string, method: 'PUT' | 'PATCH'): Endpoint {
  const merge = method === 'PATCH';
  return endpoint<AccountChanges, void>({
    method,
    path,
    operationId: `${merge ? 'patch' : 'update'}${ofPath(path)}`,
    tag: usersTag,
    summary: merge ? 'Merge changes into your own account' : 'Update the own account',
    description:
      (merge
        ? 'JSON Merge Patch (RFC 7396): metadata is merged member by member, null removes a member.'
        : 'Replaces the members that are sent and keeps the others; null clears an optional member.') +
      ' A new e-mail and a new password need currentPassword, or in an account without a password a sign-in in the last 10 ' +
      'minutes; wrong ones count like wrong sign-ins. Whoever has a second factor has signed in in the last 10 minutes for a new e-mail, ' +
      'too. A new password ends ' +
      'all access tokens, including the one that is sent. Where the policy requires confirmed addresses, the account gets a new ' +
      'e-mail when its mail is answered, and keeps the former one until then.',
    grant: 'user',
    parameters: parameters(path),
    body: {
      schema: replacementSchema(accountChangeSchema),
      example: { phone: accountExample.phone, metadata: accountExample.metadata },
      read: readAccountChanges,
    },
    answer: updatedAnswer,
    takesIfMatch: true,
    errors: [...accountErrors, 'UserInvalidLoginParams', 'UserEmailTaken', 'OperationForbidden', 'Timeout'],
    locate: onlyOneself,
    handle: async ({ app, user, body, address, now, headers }) => {
      const oneself = signedIn(user);
      const key = { appId: app.appId, userId: oneself.userId };
      // A wrong password counts as at sign-in, and for the same account.
      const confirm = (emailKey: string, check: () => Promise<void>) =>
        limits.guess({ app, address, emailKey, now }, check, isWrongLogin);
      const mayTell = (emailKey: string) => limits.mayTell({ app, address, emailKey, now });
      const asksToVerify = wantsVerified(app);
      const confirmsFirst = app.policy.emailVerification === 'required';
      const countMail = (emailKey: string) => limits.requestMail({ app, address, emailKey, now });
      const assertUnchanged = readIfMatch(headers);
      const proof = { ...tokenProof(oneself), confirm };
      const how = { app, merge, asksToVerify, confirmsFirst, countMail, mayTell, assertUnchanged, ...proof };
      const { updatedAt, tag } = await service.update(key, body, how);
      return tagged(JSON.stringify({ result: { updatedAt: isoTime(updatedAt) } }), tag);
    },
  });
}

function erase({ service }: SelfDeps, path: string): Endpoint {
  return endpoint<undefined, void>({
    method: 'DELETE',
    path,
    operationId: `delete${ofPath(path)}`,
    tag: usersTag,
    summary: 'Delete the own account',
    description:
      'Erases the user, ends all access tokens, and has everything else about the person erased. `GET /erasures/{erasureId}` ' +
      'is the receipt. Where the policy asks for it (`selfErasure`), it takes a sign-in in the last 10 minutes.',
    grant: 'user',
    parameters: parameters(path),
    answer: erasedAnswer,
    errors: ['ObjectNotFound', 'OperationForbidden'],
    locate: onlyOneself,
    handle: async ({ app, user }) => {
      const oneself = signedIn(user);
      const { tokenHash, hasSession } = tokenProof(oneself);
      const key = { appId: app.appId, userId: oneself.userId };
      // A user of another issuer has no session here that could be fresh.
      if (app.policy.selfErasure === 'fresh' && hasSession) await service.assertFresh(key, tokenHash);
      const erasureId = await service.erase(key);
      return { result: { erasureId } };
    },
  });
}
