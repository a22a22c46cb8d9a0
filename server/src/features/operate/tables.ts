import type { DbTable } from '../../db/table.ts';
import {
  adminFactors,
  adminInvitations,
  adminLanguages,
  adminLinks,
  adminSessions,
  admins,
} from './admins/accounts/tables.ts';
import { adminAgents } from './admins/agents/tables.ts';
import { adminIdentities, ssoAttempts, ssoProviders } from './admins/sso/tables.ts';
import { alertChoices, alertDigests, alerts } from './alerts/tables.ts';
import { appKeys, apps, dryRunCounts, secretKeys } from './apps/tables.ts';
import { webhookDeliveries, webhooks } from './webhooks/tables.ts';

export const tables: readonly DbTable[] = [
  webhookDeliveries,
  webhooks,
  appKeys,
  dryRunCounts,
  secretKeys,
  apps,
  admins,
  adminSessions,
  adminAgents,
  ...Object.values(adminFactors),
  adminInvitations,
  adminLanguages,
  adminLinks,
  adminIdentities,
  ssoProviders,
  ssoAttempts,
  alerts,
  alertDigests,
  alertChoices,
];
