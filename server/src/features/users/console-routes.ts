import { Type } from 'typebox';
import {
  deletedAnswer,
  exampleCreated,
  exampleId,
  exampleUpdated,
  listAnswer,
  objectIdSchema,
  timestampSchema,
} from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../http/console-endpoint.ts';
import { pageLimitParameter, readPageLimit } from '../../http/console-page.ts';
import { defineShape } from '../../http/shape.ts';
import type { UserService } from './service.ts';

const changeShape = defineShape(Type.Object({ role: Type.Enum(['user', 'manager']), disabled: Type.Boolean() }));

const userSchema = Type.Object({
  objectId: objectIdSchema,
  firstname: Type.String(),
  lastname: Type.String(),
  email: Type.String(),
  role: Type.Enum(['user', 'manager']),
  disabled: Type.Boolean(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});
const userExample = {
  objectId: exampleId,
  firstname: 'Vera',
  lastname: 'Visitor',
  email: 'vera@example.org',
  role: 'user',
  disabled: false,
  createdAt: exampleCreated,
  updatedAt: exampleUpdated,
};

interface Deps {
  readonly service: Pick<UserService, 'listUsersForConsole' | 'setUserRole' | 'setUserDisabled'>;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
}

/** The users of an app, for those who may see or change them. */
export function userConsoleEndpoints({ service, assertApp }: Deps): readonly ConsoleEndpoint[] {
  const locate = ({ appId = '' }: Readonly<Record<string, string>>) => assertApp(appId);
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/users',
      operationId: 'listAppUsers',
      tag: 'Users',
      summary: 'List the users of an app, oldest first',
      permission: 'users.read',
      query: [
        { name: 'search', description: 'Only users with this in their e-mail', schema: Type.String() },
        { name: 'after', description: 'Only users behind the one with this objectId', schema: Type.String() },
        pageLimitParameter,
      ],
      locate,
      answer: listAnswer(userSchema, userExample),
      errors: ['ObjectNotFound', 'InvalidQuery'],
      async handle({ params, query: { search = '', after = '', limit } }) {
        const page = { search, after, limit: readPageLimit(limit) };
        return { results: await service.listUsersForConsole(params['appId'] ?? '', page) };
      },
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/apps/:appId/users/:userId',
      operationId: 'changeAppUser',
      tag: 'Users',
      summary: "Change a user's role, or switch the user off or on; disabling ends all tokens",
      permission: 'users.change',
      locate,
      body: {
        schema: Type.Partial(changeShape.schema),
        example: { role: 'manager' },
        read: (body) => changeShape.readUpdate(body).set,
      },
      answer: { ...deletedAnswer, description: 'Changed.' },
      errors: ['ValidationError', 'ObjectNotFound'],
      async handle({ params: { appId = '', userId = '' }, body: { role, disabled }, by }) {
        if (role !== undefined) await service.setUserRole({ appId, userId }, role, by);
        if (disabled !== undefined) await service.setUserDisabled({ appId, userId }, disabled, by);
        return { result: {} };
      },
    }),
  ];
}
