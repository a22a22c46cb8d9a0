import { Type } from 'typebox';
import type { Clock } from '../../../base/clock.ts';
import { serviceTimeZone } from '../../../base/clock.ts';
import { fail, invalid } from '../../../base/errors.ts';
import { createdRecordAnswer, deletedAnswer, isoTime, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { RateLimiter } from '../../../limits/rate-limit.ts';
import { creationOptionsSchema } from '../../../sign-in/factors/factor-schemas.ts';
import type { RegistrationResponseJSON } from '../../../sign-in/factors/webauthn.ts';
import { adminView } from './accounts/service.ts';
import { adminEmailKey } from './accounts/store.ts';
import type { Passkeys } from './factors/passkeys.ts';
import type { AdminLinks } from './links/links.ts';
import { joinShape, newPasswordShape, resetRequestShape, role, signedInAnswer, tokenShape } from './schemas.ts';
import type { AdminSessions } from './sessions.ts';

interface Deps {
  readonly links: AdminLinks;
  readonly passkeys: Passkeys;
  readonly sessions: AdminSessions;
  readonly isDemo: () => Promise<boolean>;
  readonly limiter: RateLimiter;
  readonly now: Clock;
}

const exampleToken = 'the part of the link after #';

/** What a link leads to, for whoever opens it, and asking for one to a new password. */
export function linkEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...openEndpoints(deps), ...joinEndpoints(deps), ...resetEndpoints(deps)];
}

const openSchema = Type.Object({
  kind: Type.Enum(['invitation', 'reset']),
  email: Type.String(),
  role,
  expiresAt: timestampSchema,
});

function openEndpoints({ links, passkeys, sessions }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/links/open',
      operationId: 'openLink',
      summary: 'What a one-time link is for',
      permission: 'public',
      body: tokenShape.body({ token: exampleToken }),
      answer: recordAnswer(openSchema),
      async handle({ body, address }) {
        sessions.throttleAddress(address);
        const { kind, email, role, expiresAt } = await links.open(body.token);
        return { result: { kind, email, role, expiresAt: isoTime(expiresAt) } };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/links/passkey',
      operationId: 'startInvitedPasskey',
      summary: 'Begin to accept an invitation with a passkey',
      permission: 'public',
      body: tokenShape.body({ token: exampleToken }),
      answer: createdRecordAnswer(creationOptionsSchema),
      async handle({ body, address, origin }) {
        sessions.throttleAddress(address);
        const { adminId, email } = invitationOnly(await links.open(body.token));
        return { result: await passkeys.firstOptions({ id: adminId, email, name: email }, origin) };
      },
    }),
  ];
}

function invitationOnly<T extends { readonly kind: string }>(link: T): T {
  if (link.kind === 'invitation') return link;
  throw fail('OperationForbidden', 'This link is for a new password, not an invitation.');
}

function oneOfBoth() {
  return invalid('password', 'or passkey is required, and not both');
}

function joinEndpoints({ links, passkeys, sessions, isDemo }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/links/join',
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation with a password or a passkey, and sign in',
      permission: 'public',
      body: joinShape.body({ token: exampleToken, name: 'Ed', password: 'long and secret' }),
      answer: signedInAnswer,
      async handle({ body: { token, name, password, passkey }, setSession, ...client }) {
        const { address, origin } = client;
        sessions.throttleAddress(address);
        if ((password === undefined) === (passkey === undefined)) throw oneOfBoth();
        const link = invitationOnly(await links.open(token));
        await sessions.assertLocalSignIn();
        const fresh = passkey && {
          name: 'First passkey',
          fresh: await passkeys.readFirst(link.adminId, passkey as RegistrationResponseJSON, origin),
        };
        const joining = { name, ...(password ? { password } : {}), ...(fresh ? { passkey: fresh } : {}) };
        const row = await links.join(link, joining, address, (db, adminId) =>
          fresh ? passkeys.insert(db, { adminId, name: fresh.name }, fresh.fresh) : Promise.resolve(),
        );
        setSession(await sessions.signInAs(row, fresh ? 'passkey' : 'password', client));
        const mustEnrol = await sessions.mustEnrol(row);
        return { result: { ...adminView(row), demo: await isDemo(), mustEnrol, timeZone: serviceTimeZone() } };
      },
    }),
  ];
}

/** Mails to one account, so that nobody's mailbox is flooded. */
const resetMails = Object.freeze({ perSecond: 1 / 600, burst: 3 });

function resetEndpoints({ links, sessions, limiter, now }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/password-reset',
      operationId: 'requestPasswordLink',
      summary: 'Ask for a mail with a link to a new password; the answer is the same for unknown addresses',
      permission: 'public',
      body: resetRequestShape.body({ email: 'ada@museum.example' }),
      answer: deletedAnswer,
      async handle({ body: { email }, address }) {
        sessions.throttleAddress(address);
        limiter.take(`reset ${adminEmailKey(email)}`, resetMails, now());
        await links.requestReset(email);
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/links/password',
      operationId: 'setPasswordByLink',
      summary: 'Set a new password with a link; every session ends, and second factors stay',
      permission: 'public',
      body: newPasswordShape.body({ token: exampleToken, password: 'long and secret' }),
      answer: deletedAnswer,
      async handle({ body: { token, password }, address }) {
        sessions.throttleAddress(address);
        const link = await links.open(token);
        if (link.kind !== 'reset') throw fail('OperationForbidden', 'This link is an invitation. Accept it.');
        await links.resetPassword(link, password, address);
      },
    }),
  ];
}
