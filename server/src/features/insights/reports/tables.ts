import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** Figures that go to people by mail, each week or month. */
export const reports = defineTable({
  name: 'reports',
  owner: 'reports',
  columns: {
    app_id: text,
    report_id: text,
    /** Null: about the whole app. */
    venue_id: nullable(text),
    /** `week` or `month`. */
    every: text,
    is_on: bigint,
    /** JSON: the ids of the administrators who get it. */
    administrators: text,
    /** Only periods that end after this day are sent: it was made, or changed, later than these. */
    begins_after: text,
    set_up_by: text,
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'report_id'],
});

/** People who are no administrators and get a report, once they have confirmed that they want it. */
export const reportAddresses = defineTable({
  name: 'report_addresses',
  owner: 'reports',
  columns: {
    app_id: text,
    report_id: text,
    address_id: text,
    email: text,
    email_key: text,
    /** The administrator responsible for it; once that one may not see the figures, the address gets nothing. */
    added_by: text,
    /** The hash of the token in the link that confirms. */
    token_hash: nullable(text),
    token_expires_at: nullable(bigint),
    confirmed_at: nullable(bigint),
    /** In each mail; it ends the mails and does nothing else. */
    stop_token: text,
    created_at: bigint,
  },
  key: ['app_id', 'report_id', 'address_id'],
  indexes: {
    report_addresses_email: { on: ['app_id', 'report_id', 'email_key'], isUnique: true },
    report_addresses_token: { on: ['token_hash'] },
    report_addresses_stop: { on: ['stop_token'] },
  },
  childOf: ['reports'],
  secrets: ['token_hash', 'stop_token'],
});

/** One row a period with an empty recipient, so that it is made once; and one for each mail of it. */
export const reportMails = defineTable({
  name: 'report_mails',
  owner: 'reports',
  columns: {
    app_id: text,
    report_id: text,
    period_from: text,
    recipient: text,
    period_until: text,
    email: text,
    state: text,
    message: text,
    made_at: bigint,
    ended_at: nullable(bigint),
  },
  key: ['app_id', 'report_id', 'period_from', 'recipient'],
  indexes: { report_mails_made: { on: ['app_id', 'made_at'] } },
  childOf: ['reports'],
});
