import { Type } from 'typebox';
import { limitedRoles } from '../../../../access/roles.ts';

/** One app in which a role holds, as requests and answers say it. */
export const grantSchema = Type.Object({
  appId: Type.String({ minLength: 1, maxLength: 40 }),
  role: Type.Optional(Type.Enum([...limitedRoles], { description: "In this app; the administrator's own without it" })),
  venues: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 40 }), {
      maxItems: 100,
      description: 'The objectIds of the venues for which the role holds; all of the app without it',
    }),
  ),
});

export const grantsSchema = Type.Array(grantSchema, { maxItems: 200 });
