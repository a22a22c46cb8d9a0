import { makers as adminMakers } from './admins/feature.ts';
import { alertFeature, makers as alertMakers } from './alerts/feature.ts';
import { makers as appMakers } from './apps/feature.ts';
import { backupFeature, makers as backupMakers } from './backups/feature.ts';
import { overviewFeature, makers as overviewMakers } from './overview/feature.ts';
import { systemFeature, makers as systemMakers } from './system/feature.ts';
import { webhookFeature, makers as webhookMakers } from './webhooks/feature.ts';

export { adminFeature } from './admins/feature.ts';
export { appFeature } from './apps/feature.ts';

export const features = [webhookFeature, overviewFeature, systemFeature, backupFeature, alertFeature];

export const makers = {
  ...{ ...adminMakers, ...alertMakers, ...appMakers, ...backupMakers },
  ...{ ...overviewMakers, ...systemMakers, ...webhookMakers },
};
