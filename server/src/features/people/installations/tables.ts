import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** What visitors have decided, one row each time. */
export const consentsTable = defineTable({
  name: 'consents',
  owner: 'installations',
  columns: {
    app_id: text,
    object_id: text,
    installation_id: text,
    purpose: text,
    granted: bigint,
    text_version: nullable(text),
    decided_by: text,
    created_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: { consents_installation: { on: ['app_id', 'installation_id', 'object_id'] } },
  trail: { installation: 'installation_id', at: 'created_at' },
});

export const ownPhones = defineTable({
  name: 'own_phones',
  owner: 'installations',
  columns: { app_id: text, admin_id: text, installation_id: text, paired_at: bigint },
  key: ['app_id', 'admin_id', 'installation_id'],
  indexes: { own_phones_installation: { on: ['app_id', 'installation_id'] } },
  trail: { installation: 'installation_id', at: 'paired_at' },
  secrets: ['admin_id'],
});

/** The code that an administrator shows to a phone; the next one takes its place. */
export const pairingCodes = defineTable({
  name: 'pairing_codes',
  owner: 'installations',
  columns: {
    app_id: text,
    admin_id: text,
    code_hash: text,
    /** E-mail and name of the administrator. */
    asked_by: text,
    name: text,
    expires_at: bigint,
    /** The installation that has used it. */
    claimed_by: nullable(text),
  },
  key: ['app_id', 'admin_id'],
  indexes: { pairing_codes_code: { on: ['app_id', 'code_hash'] } },
  secrets: ['code_hash'],
});

/** How many phones of an app had each cause on a day; names nobody. */
export const sensingDays = defineTable({
  name: 'sensing_days',
  owner: 'installations',
  columns: { app_id: text, day: text, cause: text, phones: bigint, created_at: bigint },
  key: ['app_id', 'day', 'cause'],
  indexes: { sensing_days_age: { on: ['app_id', 'created_at'] } },
  stepBy: 'day',
  kept: { days: 90, by: 'created_at' },
});
