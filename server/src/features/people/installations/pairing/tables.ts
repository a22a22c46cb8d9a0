import { bigint, defineTable, nullable, text } from '../../../../db/table.ts';

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
