import { bigint, defineTable, text } from '../../../../db/table.ts';

/** How many phones of an app had each cause on a day; names nobody. */
export const sensingDays = defineTable({
  name: 'sensing_days',
  owner: 'installations',
  columns: { app_id: text, day: text, cause: text, phones: bigint, created_at: bigint },
  key: ['app_id', 'day', 'cause'],
  indexes: { sensing_days_age: { on: ['app_id', 'created_at'] } },
  stepBy: 'day',
  kept: { days: 90 },
});
