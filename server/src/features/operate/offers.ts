import { secretKeys } from './apps/tables.ts';
import { webhooks } from './webhooks/tables.ts';

export { holdReach, listAdmins } from './admins/accounts/store.ts';
export { findDemoMark } from './apps/demo-mark.ts';
export { knownSecretKeys, noteSecretKeyUse } from './apps/secret-key-store.ts';
export { appTag } from './apps/service.ts';
export { findApp, findAppAccess, listApps, noteKeyUse, policyOf } from './apps/store.ts';
export { usedQuotas } from './apps/usage-routes.ts';
export { deliveryDays } from './webhooks/service.ts';
export { listAppsWanting, listHostsSentTo, listWebhooks } from './webhooks/store.ts';

export const operateTables = { secretKeys, webhooks };
