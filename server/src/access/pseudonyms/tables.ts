import { bigint, defineTable, nullable, text } from '../../db/table.ts';

/** When an app had its pseudonyms switched on. */
export const pseudonymPeriods = defineTable({
  name: 'pseudonym_spells',
  owner: 'access',
  columns: { app_id: text, begun_at: bigint, ended_at: nullable(bigint) },
  key: ['app_id', 'begun_at'],
});

/** A day of an app's zone with the secret of its pseudonyms, for as long as anything of this day is kept. */
export const pseudonymDays = defineTable({
  name: 'pseudonym_days',
  owner: 'access',
  columns: { app_id: text, begins_at: bigint, ends_at: bigint, secret: text },
  key: ['app_id', 'begins_at'],
});
