import { type Static, Type } from 'typebox';
import {
  createdRecordAnswer,
  deletedAnswer,
  exampleId,
  listAnswer,
  objectIdSchema,
  timestampSchema,
} from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../../http/shape.ts';
import { sessionIdLength } from '../accounts/store.ts';
import { type AdminAgents, maxAgentDays, maxAgents } from './agents.ts';
import type { AgentRow } from './store.ts';

const members = {
  appId: Type.String({ maxLength: 64, description: 'The only app that it reaches' }),
  name: Type.String({ minLength: 1, maxLength: 100, description: 'It is in the audit beside the administrator' }),
  mayWrite: Type.Boolean({ description: 'Whether it may also change things, where the operator lets agents do that' }),
};
const body = Type.Object({
  ...members,
  days: Type.Integer({
    minimum: 1,
    maximum: maxAgentDays,
    description: 'How long it counts; after single sign-on at most as long as the session',
  }),
});
const shape = defineShape(body);
const agentSchema = Type.Object({
  agentId: Type.String(),
  ...members,
  appId: objectIdSchema,
  createdAt: timestampSchema,
  expiresAt: timestampSchema,
  lastUsedAt: Type.Union([timestampSchema, Type.Null()]),
});
const given = { appId: exampleId, name: 'Assistant', mayWrite: false };
const isoOf = (time: number) => new Date(time).toISOString();
const view = (row: AgentRow): Static<typeof agentSchema> => ({
  agentId: row.token_hash.slice(0, sessionIdLength),
  appId: row.app_id,
  name: row.name,
  mayWrite: row.may_write > 0,
  createdAt: isoOf(row.created_at),
  expiresAt: isoOf(row.expires_at),
  lastUsedAt: row.last_used_at === null ? null : isoOf(row.last_used_at),
});

export function agentEndpoints(agents: AdminAgents): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/session/agents',
      operationId: 'listOwnAgents',
      summary: 'The agents that act for oneself, the newest first',
      permission: 'session.own',
      answer: listAnswer(agentSchema),
      handle: async ({ admin }) => ({ results: (await agents.list(signedIn(admin))).map(view) }),
    }),
    consoleEndpoint<Static<typeof body>>({
      method: 'POST',
      path: '/session/agents',
      operationId: 'addOwnAgent',
      summary: 'Let an agent act for oneself in one app; its token is shown once',
      description: `It has the role that one has in the app, at /mcp, without what needs a password. At most ${maxAgents}.`,
      permission: 'session.own',
      needsConfirmation: true,
      body: shape.body({ ...given, days: 30 }),
      answer: createdRecordAnswer(
        Type.Object({
          token: Type.String({ description: 'Shown only here; sent as Authorization: Bearer' }),
          agent: agentSchema,
        }),
      ),
      async handle({ admin, body: agent, by }) {
        const { token, row } = await agents.create(signedIn(admin), agent, by);
        return { result: { token, agent: view(row) } };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/session/agents/:agentId',
      operationId: 'removeOwnAgent',
      summary: 'Refuse an agent of oneself from now on',
      permission: 'session.own',
      answer: deletedAnswer,
      handle: ({ admin, params: { agentId = '' }, by }) => agents.remove(signedIn(admin), agentId, by),
    }),
  ];
}
