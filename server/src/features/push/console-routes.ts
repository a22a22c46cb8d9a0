import { Type } from 'typebox';
import { isAllowed } from '../../access/roles.ts';
import { recordAnswer } from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../http/console/console-endpoint.ts';
import type { Tag } from '../../http/endpoint.ts';
import { assertNotAskedBy } from '../../http/hidden-members.ts';
import { type ReachDeps, readReach } from './reach.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });

export const reachRecord = {
  schema: Type.Object({
    senders: count('Push services that are set up and usable'),
    installations: count('All that match'),
    reachable: count('Those that a push service can be asked to reach'),
    channels: Type.Array(
      Type.Object({
        sender: Type.Enum(['fcm', 'apns', 'webpush', 'mqtt']),
        name: Type.String(),
        count: Type.Integer(),
      }),
      { description: 'By push service, the commonest first' },
    ),
    unreachable: Type.Array(Type.Object({ reason: Type.String(), count: Type.Integer() }), {
      description: 'Why the others are not reached, the commonest first',
    }),
  }),
  example: {
    senders: 1,
    installations: 1200,
    reachable: 900,
    channels: [{ sender: 'fcm', name: 'FCM', count: 900 }],
    unreachable: [{ reason: 'No APNs credentials are set up for this app.', count: 300 }],
  },
};

export interface PushConsoleDeps extends ReachDeps {
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
  /** What of installations some roles may not ask by. */
  readonly hidden: Tag['hides'];
}

/** What a person wants to know before sending. */
export function pushConsoleEndpoints(deps: PushConsoleDeps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/reach',
      operationId: 'getReach',
      tag: 'Push',
      summary: 'Count whom a push would reach now, by push service, and why others are not reached',
      permission: 'push.send',
      locate: ({ appId = '' }) => deps.assertApp(appId),
      query: [
        {
          name: 'where',
          description: 'The audience: a condition on installations, as JSON; everyone without it',
          schema: Type.String(),
        },
      ],
      answer: recordAnswer(reachRecord.schema, reachRecord.example),
      errors: ['ObjectNotFound', 'InvalidQuery', 'Timeout'],
      handle: async ({ admin, params: { appId = '' }, query }) => {
        const { hidden } = deps;
        if (hidden && admin && !isAllowed(admin.role, hidden.permission)) assertNotAskedBy(query, hidden.members);
        return { result: await readReach(deps, appId, query['where']) };
      },
    }),
  ];
}
