import { Type } from 'typebox';
import { storedReach } from '../../../access/reach.ts';
import type { Clock } from '../../../base/clock.ts';
import {
  createdRecordAnswer,
  deletedAnswer,
  isoTime,
  listAnswer,
  objectIdSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { AdminLinks, SentLink } from './links/links.ts';
import type { InvitationRow } from './links/store.ts';
import { invitationShape, reachSchema, role } from './schemas.ts';

/** For owners: invitations, and links to new passwords of others. */

const sentMembers = {
  mailed: Type.Boolean({ description: 'Whether a mail with the link is on its way' }),
  link: Type.Union([Type.String(), Type.Null()], {
    description: 'To hand over, once; null if it is mailed',
  }),
};
const invitationSchema = Type.Object({
  invitationId: objectIdSchema,
  email: Type.String(),
  role,
  apps: reachSchema,
  invitedBy: Type.String(),
  expired: Type.Boolean(),
  createdAt: timestampSchema,
  expiresAt: timestampSchema,
});
const sentInvitation = createdRecordAnswer(Type.Object({ ...invitationSchema.properties, ...sentMembers }));

function view(row: InvitationRow, now: number) {
  return {
    invitationId: row.invitation_id,
    email: row.email,
    role: row.role,
    apps: storedReach(row),
    invitedBy: row.invited_by,
    expired: row.expires_at <= now,
    createdAt: isoTime(row.created_at),
    expiresAt: isoTime(row.expires_at),
  };
}

const shownLink = ({ mailed, link }: SentLink) => ({ mailed, link });

interface Deps {
  readonly links: AdminLinks;
  readonly now: Clock;
}

export function invitationEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...invitations(deps), passwordLink(deps)];
}

function invitations({ links, now }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/invitations',
      operationId: 'listInvitations',
      summary: 'List invitations that were not accepted yet',
      permission: 'administrators.read',
      answer: listAnswer(invitationSchema),
      handle: async () => ({ results: (await links.invitations()).map((row) => view(row, now())) }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/invitations',
      operationId: 'inviteAdministrator',
      summary: 'Invite somebody to become an administrator',
      description:
        'The invited gets a link by mail; it works once and for seven days. Without a mail server the answer has the link, to hand over.',
      permission: 'administrators.write',
      needsConfirmation: true,
      body: invitationShape.body({ email: 'ed@museum.example', role: 'editor' }),
      answer: sentInvitation,
      async handle({ body, by }) {
        const { row, sent } = await links.invite(body, by);
        return { result: { ...view(row, now()), ...shownLink(sent) } };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/invitations/:invitationId/link',
      operationId: 'sendInvitationAgain',
      summary: 'Send an invitation again, for another seven days; the former link no longer works',
      permission: 'administrators.write',
      needsConfirmation: true,
      answer: sentInvitation,
      async handle({ params, by }) {
        const { row, sent } = await links.inviteAgain(params['invitationId'] ?? '', by);
        return { result: { ...view(row, now()), ...shownLink(sent) } };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/invitations/:invitationId',
      operationId: 'withdrawInvitation',
      summary: 'Withdraw an invitation; its link no longer works',
      permission: 'administrators.write',
      answer: deletedAnswer,
      handle: ({ params, by }) => links.withdraw(params['invitationId'] ?? '', by),
    }),
  ];
}

/** For an administrator who is already one. */
function passwordLink({ links }: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'POST',
    path: '/administrators/:adminId/password-link',
    operationId: 'sendPasswordLink',
    summary: 'Send an administrator a link to choose a new password',
    description: 'It works once: by mail for an hour, without a mail server handed over for a day.',
    permission: 'administrators.write',
    needsConfirmation: true,
    answer: createdRecordAnswer(Type.Object({ ...sentMembers, expiresAt: timestampSchema })),
    async handle({ params, by }) {
      const sent = await links.sendReset(params['adminId'] ?? '', by);
      return { result: { ...shownLink(sent), expiresAt: isoTime(sent.expiresAt) } };
    },
  });
}
