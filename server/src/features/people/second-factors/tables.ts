import { text } from '../../../db/table.ts';
import type { Tag } from '../../../http/endpoint.ts';
import { factorTables } from '../../../sign-in/factors/factor-tables.ts';

export const factorsTag: Tag = {
  name: 'Second factors and passkeys',
  description:
    'Authenticator apps, recovery codes and passkeys of the people who use the app, where the app has switched them on.',
  place: 58,
};

export const userFactors = factorTables('user', {
  owner: 'second-factors',
  realm: { app_id: text },
  person: { user_id: text },
  facts: { childOf: ['users'], users: ['user_id'] },
});
