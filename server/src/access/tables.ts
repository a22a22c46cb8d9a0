import { bigint, defineTable, nullable, text } from '../db/table.ts';

/** Of many records, whose ids are in the states. */
const isOfMany = "action like 'many.%'";

export const audit = defineTable({
  name: 'audit',
  owner: 'access',
  columns: {
    audit_id: text,
    app_id: nullable(text),
    actor: text,
    action: text,
    subject: text,
    before_state: nullable(text),
    after_state: nullable(text),
    address: nullable(text),
    created_at: bigint,
  },
  key: ['audit_id'],
  indexes: { audit_app: { on: ['app_id', 'audit_id'] } },
  mentions: [
    {
      in: ['subject', 'before_state', 'after_state'],
      erased: { subject: 'erased', before_state: null, after_state: null },
      only: `not ${isOfMany}`,
    },
    // What was done to the others stays.
    { in: ['before_state', 'after_state'], erased: 'unname', only: isOfMany },
  ],
  // What was done is the person's to know; which administrator did it, and from where, is not.
  secrets: ['actor', 'address'],
  staysBecause: 'it says who deleted the app',
});
