import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { createdAnswer, deletedAnswer, isoTime, listAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { allowedTo } from '../../../resources/allowed.ts';
import { type ListOptions, listParameters } from '../../../resources/lists/list.ts';
import { listing } from '../../../resources/lists/listing.ts';
import { clientOf } from '../../../sign-in/accounts.ts';
import { type AttemptLimits, isWrongLogin } from '../../../sign-in/attempts.ts';
import { emailKey } from '../../../sign-in/email.ts';
import { answerOf, halfSignInErrors, signInAnswer } from '../../../sign-in/sign-in-answer.ts';
import type { PasswordReset } from './password-reset.ts';
import { userSummary } from './records.ts';
import {
  type AccountBody,
  accountErrors,
  accountExample,
  accountShape,
  forgotSchema,
  readForgot,
  readReset,
  readSignIn,
  readSignUp,
  resetSchema,
  type SignIn,
  signInSchema,
  venuesShape,
} from './schemas.ts';
import { selfEndpoints } from './self-routes.ts';
import type { UserService } from './service.ts';
import { sessionEndpoints } from './session-routes.ts';
import type { SessionService } from './sessions.ts';
import { findUser } from './store.ts';
import { userSummaryTable, usersTag } from './tables.ts';

export interface UserRouteDeps {
  readonly db: Db;
  readonly service: UserService;
  readonly sessions: SessionService;
  readonly reset: PasswordReset;
  readonly limits: AttemptLimits;
}

export function userEndpoints(deps: UserRouteDeps): Endpoint[] {
  return [
    list(deps),
    signUp(deps),
    signIn(deps),
    forgot(deps),
    reset(deps),
    setVenues(deps),
    ...sessionEndpoints(deps),
    ...selfEndpoints(deps),
  ];
}

function list({ db }: UserRouteDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/users',
    operationId: 'listUsers',
    tag: usersTag,
    summary: 'List users',
    description:
      'By default everyone with the app key may do so; the app can restrict it to users or managers, or switch it off.',
    grant: { of: 'users', verb: 'list', open: 'app' },
    query: listParameters,
    answer: listAnswer(userSummary.schema, userSummary.example),
    errors: ['InvalidQuery', 'Timeout'],
    ...listing(async (call) => {
      const { app, query } = call;
      const scope = userSummaryTable.match({ app_id: app.appId });
      const options: ListOptions = {
        allowed: await allowedTo({ rules: 'users', records: userSummaryTable }, 'list', call),
        scope,
        query,
        defaultLimit: 1000,
        idsFollowCreation: true,
        tenant: app.appId,
      };
      return { db, table: userSummaryTable, options };
    }),
  });
}

function setVenues({ db, service }: UserRouteDeps): Endpoint {
  return endpoint<{ venueIds: string[] }, void>({
    method: 'PUT',
    path: '/users/:objectId/venues',
    operationId: 'setUserVenues',
    tag: usersTag,
    summary: 'Set the venues to which a user belongs',
    description:
      'For managers. The list replaces the one that there was. Rules know it as `$auth.venues`, from the next request on.',
    grant: 'manager',
    body: venuesShape.body({ venueIds: [] }),
    answer: { ...deletedAnswer, description: 'Set.' },
    errors: ['ValidationError', 'ObjectNotFound', 'OperationForbidden'],
    locate: async ({ app, params: { objectId = '' } }) => {
      if (!(await findUser(db, { appId: app.appId, userId: objectId })))
        throw fail('ObjectNotFound', 'There is no user with this objectId.');
    },
    handle: async ({ app, body, params: { objectId = '' } }) => {
      await service.changeUser({ appId: app.appId, userId: objectId }, body, { by: undefined });
      return { result: {} };
    },
  });
}

function signUp({ service, limits }: UserRouteDeps): Endpoint {
  return endpoint<AccountBody>({
    method: 'POST',
    path: '/users',
    operationId: 'signUp',
    tag: usersTag,
    summary: 'Sign up',
    description:
      'One address may create 100 accounts at once and then one a second; a refused sign-up does not count. Where ' +
      'addresses have to be confirmed (policy `emailVerification`), a taken one gets the same answer, and its owner a mail.',
    grant: { of: 'users', verb: 'create', open: 'app' },
    body: { schema: accountShape.schema, example: accountExample, read: readSignUp },
    answer: createdAnswer,
    errors: [...accountErrors, 'UserEmailTaken', 'Timeout'],
    handle: async ({ app, body, address, now, secretKey, isAdministrator }) => {
      const attempt = { app, address, emailKey: emailKey(body.email), now };
      const how = {
        isStranger: secretKey === undefined && !isAdministrator,
        mayTell: (key: string) => limits.mayTell({ ...attempt, emailKey: key }),
      };
      const { objectId, createdAt } = await limits.signUp(attempt, () => service.signUp(app, body, how));
      return { result: { createdAt: isoTime(createdAt), objectId } };
    },
  });
}

function signIn({ service, limits }: UserRouteDeps): Endpoint {
  return endpoint<SignIn>({
    method: 'POST',
    path: '/users/signin',
    operationId: 'signIn',
    needsNoRoom: true,
    tag: usersTag,
    summary: 'Sign in',
    description:
      'Older tokens of the user stay valid. Wrong e-mail addresses and passwords are limited: 5 at once and then one in 12 s for ' +
      'an account from one address, 30 at once and then one a second for an address. If a second factor is due (policy `totp`), the ' +
      'answer is 121 or 123 with a `challenge`, with which POST /users/signin/factor goes on.',
    grant: 'app',
    body: {
      schema: signInSchema,
      example: { email: accountExample.email, password: accountExample.password },
      read: readSignIn,
    },
    answer: { status: 200, description: 'Signed in.', ...signInAnswer },
    errors: [
      'UserInvalidLoginParams',
      'UsernameMissing',
      'PasswordMissing',
      'ValidationError',
      'OperationForbidden',
      ...halfSignInErrors,
      'Timeout',
    ],
    handle: async ({ app, body, address, now, headers }) => {
      const attempt = { app, address, emailKey: emailKey(body.email), now };
      const client = clientOf({ headers }, body);
      return answerOf(await limits.guess(attempt, () => service.signIn(app, body, client), isWrongLogin), now);
    },
  });
}

function forgot({ reset, limits }: UserRouteDeps): Endpoint {
  return endpoint<{ email: string }>({
    method: 'POST',
    path: '/users/password/forgot',
    operationId: 'forgotPassword',
    needsNoRoom: true,
    tag: usersTag,
    summary: 'Request a mail to choose a new password',
    description:
      'The answer is the same whether or not the account exists. 3 mails at once to one account, then one in 10 ' +
      'minutes; 10 at once from one address, then one in 12 s.',
    grant: 'app',
    body: { schema: forgotSchema, example: { email: accountExample.email }, read: readForgot },
    answer: { ...deletedAnswer, description: 'If the account exists, a mail is on its way.' },
    errors: ['UserEmailMissing', 'InvalidEmailAddress', 'ValidationError', 'OperationForbidden'],
    handle: async ({ app, body, address, now }) => {
      limits.requestMail({ app, address, emailKey: emailKey(body.email), now });
      await reset.request(app, body.email);
      return { result: {} };
    },
  });
}

function reset({ reset }: UserRouteDeps): Endpoint {
  return endpoint<{ token: string; password: string }>({
    method: 'POST',
    path: '/users/password/reset',
    operationId: 'resetPassword',
    needsNoRoom: true,
    tag: usersTag,
    summary: 'Choose a new password',
    description:
      'With the token from the mail, which is good once and for one hour. Ends all access tokens of the user.',
    grant: 'app',
    body: {
      schema: resetSchema,
      example: { token: 'q3Zf0v7n2mB1xK8dT5sJ6yR4wL9aH0cE3gU7iO2pN5M', password: accountExample.password },
      read: readReset,
    },
    answer: {
      status: 200,
      description: 'The new password is set.',
      schema: Type.Object({ result: Type.Object({}) }),
      example: { result: {} },
    },
    errors: ['PasswordMissing', 'ValidationError', 'ObjectNotFound', 'Timeout'],
    handle: async ({ app, body }) => {
      await reset.complete(app, body.token, body.password);
      return { result: {} };
    },
  });
}
