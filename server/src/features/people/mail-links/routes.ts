import { Type } from 'typebox';
import { fail, type Problem } from '../../../base/errors.ts';
import { deletedAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { defineShape, sentence } from '../../../http/shape.ts';
import { clientOf } from '../../../sign-in/accounts.ts';
import type { AttemptLimits } from '../../../sign-in/attempts.ts';
import { emailKey, isEmailAddress, maxEmailLength } from '../../../sign-in/email.ts';
import {
  answerOf,
  exampleToken,
  halfSignInErrors,
  refreshMember,
  signInAnswer,
} from '../../../sign-in/sign-in-answer.ts';
import type { MailLinks } from './service.ts';

export interface MailLinkRouteDeps {
  readonly links: MailLinks;
  readonly limits: AttemptLimits;
}

const tag: Tag = {
  name: 'Sign-in by mail',
  description: 'Links in mails: to sign in without a password, and to show that an address is one’s own.',
  place: 57,
};

const askShape = defineShape(Type.Object({ email: Type.String({ maxLength: maxEmailLength }) }), {
  rules: ({ email }): Problem[] =>
    email === undefined || isEmailAddress(email) ? [] : [{ field: 'email', problem: 'must be an e-mail address' }],
  failure: (details) =>
    fail(
      details.some(({ problem }) => problem === 'must be an e-mail address')
        ? 'InvalidEmailAddress'
        : 'ValidationError',
      {
        message: sentence(details),
        details,
      },
    ),
});
const token = Type.String({ minLength: 1, maxLength: 200, description: 'From the mail; it is good once' });
const signInShape = defineShape(Type.Object({ token, refresh: refreshMember }));
const tokenShape = defineShape(Type.Object({ token }));

const limitsSaid =
  'The answer is the same whether or not the account exists. 3 mails at once to one account, then one in 10 minutes; 10 at once ' +
  'from one address, then one in 12 s.';

export function mailLinkEndpoints(deps: MailLinkRouteDeps): Endpoint[] {
  return [askToSignIn(deps), signIn(deps), askToVerify(deps), verify(deps)];
}

function askToSignIn({ links, limits }: MailLinkRouteDeps): Endpoint {
  return endpoint<{ email: string }>({
    method: 'POST',
    path: '/users/signin/link',
    operationId: 'requestSignInLink',
    needsNoRoom: true,
    tag,
    summary: 'Request a mail with a link that signs in',
    description: `The link opens the app (policy \`signInLinkUrl\`, with \`?token=\`), is good once and for 15 minutes. ${limitsSaid}`,
    grant: 'app',
    body: askShape.body({ email: 'vera@example.org' }),
    answer: { ...deletedAnswer, description: 'If the account exists, a mail is on its way.' },
    errors: ['InvalidEmailAddress', 'ValidationError', 'OperationForbidden'],
    handle: async ({ app, body, address, now }) => {
      limits.requestMail({ app, address, emailKey: emailKey(body.email), now });
      await links.request(app, 'sign-in', body.email);
      return { result: {} };
    },
  });
}

function signIn({ links, limits }: MailLinkRouteDeps): Endpoint {
  return endpoint<{ token: string; refresh?: boolean }>({
    method: 'POST',
    path: '/users/signin/link/token',
    operationId: 'signInWithLink',
    needsNoRoom: true,
    tag,
    summary: 'Sign in with the token of a mailed link',
    description:
      'It also shows that the address is one’s own (`emailVerifiedAt`). The first time anybody shows that, a password and identities ' +
      'that were set before are removed: whoever set them may have been somebody else.',
    grant: 'app',
    body: signInShape.body({ token: exampleToken }),
    answer: { status: 200, description: 'Signed in.', ...signInAnswer },
    errors: ['UserInvalidLoginParams', 'ValidationError', 'OperationForbidden', ...halfSignInErrors],
    handle: async ({ app, body, address, now, headers }) => {
      const client = clientOf({ headers }, body);
      return answerOf(await limits.present({ app, address, now }, () => links.signIn(app, body.token, client)), now);
    },
  });
}

function askToVerify({ links, limits }: MailLinkRouteDeps): Endpoint {
  return endpoint<{ email: string }>({
    method: 'POST',
    path: '/users/email/verification',
    operationId: 'requestVerification',
    needsNoRoom: true,
    tag,
    summary: 'Request a mail to confirm an e-mail address',
    description: `Sign-ups and new addresses get it by themselves where the app asks for it (policy \`emailVerification\`). ${limitsSaid}`,
    grant: 'app',
    body: askShape.body({ email: 'vera@example.org' }),
    answer: { ...deletedAnswer, description: 'If the account exists and is not confirmed, a mail is on its way.' },
    errors: ['InvalidEmailAddress', 'ValidationError', 'OperationForbidden'],
    handle: async ({ app, body, address, now }) => {
      limits.requestMail({ app, address, emailKey: emailKey(body.email), now });
      await links.request(app, 'verify', body.email);
      return { result: {} };
    },
  });
}

function verify({ links, limits }: MailLinkRouteDeps): Endpoint {
  return endpoint<{ token: string }>({
    method: 'POST',
    path: '/users/email/verify',
    operationId: 'verifyEmail',
    needsNoRoom: true,
    tag,
    summary: 'Confirm an e-mail address',
    description:
      'With the token from the mail, which is good once and for a day. Where the policy requires confirmed addresses, an account gets a ' +
      'new address by this.',
    grant: 'app',
    body: tokenShape.body({ token: exampleToken }),
    answer: { ...deletedAnswer, description: 'The address is confirmed.' },
    errors: ['UserInvalidLoginParams', 'UserEmailTaken', 'ValidationError'],
    handle: async ({ app, body, address, now }) => {
      await limits.present({ app, address, now }, () => links.verify(app, body.token));
      return { result: {} };
    },
  });
}
