import { Type } from 'typebox';
import { deletedAnswer, listAnswer, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { type ListedSession, sessionIdLength } from './accounts/store.ts';
import type { AdminSessions } from './sessions.ts';

const text = Type.Union([Type.String(), Type.Null()]);
const listedSchema = Type.Object({
  sessionId: Type.String(),
  current: Type.Boolean({ description: 'Whether it is the one that asks' }),
  method: Type.Union([Type.String(), Type.Null()], {
    description:
      '`password`, `totp`, `recovery code`, `passkey` or `single sign-on`; null if it was begun before this was noted',
  }),
  address: text,
  userAgent: text,
  createdAt: timestampSchema,
  lastUsedAt: timestampSchema,
});
function view(row: ListedSession, own: string) {
  return {
    sessionId: row.session_hash.slice(0, sessionIdLength),
    current: row.session_hash === own,
    method: row.method,
    address: row.address,
    userAgent: row.user_agent,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: new Date(row.last_used_at).toISOString(),
  };
}

export function ownSessionEndpoints(sessions: AdminSessions): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/sessions',
      operationId: 'listOwnSessions',
      summary: 'Where one is signed in, the last used first',
      permission: 'session.own',
      answer: listAnswer(listedSchema),
      async handle({ admin }) {
        const own = signedIn(admin);
        return { results: (await sessions.list(own)).map((row) => view(row, own.sessionHash)) };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/sessions',
      operationId: 'endOtherSessions',
      summary: 'End every session of oneself but this one',
      permission: 'session.own',
      answer: recordAnswer(Type.Object({ ended: Type.Integer() })),
      handle: async ({ admin, address }) => ({ result: { ended: await sessions.endOthers(signedIn(admin), address) } }),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/sessions/:sessionId',
      operationId: 'endOwnSession',
      summary: 'End a session of oneself',
      permission: 'session.own',
      answer: deletedAnswer,
      handle: ({ admin, params, address }) => sessions.end(signedIn(admin), params['sessionId'] ?? '', address),
    }),
  ];
}
