import type { DbTable } from '../../db/table.ts';
import type { Resource } from '../../resources/define.ts';
import { notifications } from './notifications/resource.ts';
import { deliveries, pushes } from './push/resource.ts';
import { senders } from './senders/tables.ts';
import { details, scenarioBeacons, storylines } from './storylines/resource.ts';

export const resources: readonly Resource[] = [deliveries, pushes, notifications, storylines, details];

export const tables: readonly DbTable[] = [...resources.map(({ table }) => table), scenarioBeacons, senders];
