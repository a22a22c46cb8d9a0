import { Type } from 'typebox';
import {
  deletedAnswer,
  exampleCreated,
  exampleUpdated,
  listAnswer,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoints, signedIn } from '../../../http/console/console-endpoint.ts';
import { type ListedSession, sessionIdLength } from './accounts/store.ts';
import type { AdminSessions } from './sessions.ts';

const endpoint = consoleEndpoints('Session');

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
const listedExample = {
  sessionId: 'q3Zk0bWn5TgXv1Ls',
  current: true,
  method: 'passkey',
  address: '192.0.2.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  createdAt: exampleCreated,
  lastUsedAt: exampleUpdated,
};

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
    endpoint({
      method: 'GET',
      path: '/sessions',
      operationId: 'listOwnSessions',
      summary: 'Where one is signed in, the last used first',
      permission: 'session.own',
      answer: listAnswer(listedSchema, listedExample),
      async handle({ admin }) {
        const own = signedIn(admin);
        return { results: (await sessions.list(own)).map((row) => view(row, own.sessionHash)) };
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/sessions',
      operationId: 'endOtherSessions',
      summary: 'End every session of oneself but this one',
      permission: 'session.own',
      answer: {
        ...recordAnswer(Type.Object({ ended: Type.Integer() }), { ended: 2 }),
        description: 'How many were ended.',
      },
      handle: async ({ admin, address }) => ({ result: { ended: await sessions.endOthers(signedIn(admin), address) } }),
    }),
    endpoint({
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
