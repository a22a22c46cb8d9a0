import type { DbTable } from '../../db/table.ts';
import type { Resource } from '../../resources/define.ts';
import { erasedIdentities, identities, identityProviders, usedIdTokens } from './identities/tables.ts';
import { installations } from './installations/resource.ts';
import { consentsTable, ownPhones, pairingCodes, sensingDays } from './installations/tables.ts';
import { mailLinks } from './mail-links/tables.ts';
import { erasures } from './privacy/tables.ts';
import { userFactors } from './second-factors/tables.ts';
import { halfSignIns, passwordResets, sessions, tokens, users } from './users/tables.ts';

export const resources: readonly Resource[] = [installations];

export const tables: readonly DbTable[] = [
  ...resources.map(({ table }) => table),
  consentsTable,
  sensingDays,
  ownPhones,
  pairingCodes,
  erasures,
  ...Object.values(userFactors),
  halfSignIns,
  passwordResets,
  mailLinks,
  tokens,
  sessions,
  identities,
  identityProviders,
  usedIdTokens,
  erasedIdentities,
  users,
];
