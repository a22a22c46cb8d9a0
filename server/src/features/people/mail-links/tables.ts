import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** What the links in mails open; each is taken once. */
export const mailLinks = defineTable({
  name: 'mail_links',
  owner: 'mail-links',
  columns: {
    app_id: text,
    token_hash: text,
    user_id: text,
    /** `sign-in`, `verify` or `change`. */
    purpose: text,
    /** The address to which the mail went. A link to an address that the account no longer has opens nothing. */
    email_key: text,
    expires_at: bigint,
    /** Of a change: the new address as it was written, whose key `email_key` is then. */
    email: nullable(text),
    /** Of a change: what is another one as soon as the account has another password. */
    proof: nullable(text),
  },
  key: ['app_id', 'token_hash'],
  indexes: {
    mail_links_user: { on: ['app_id', 'user_id'] },
    mail_links_expiry: { on: ['expires_at'] },
  },
  childOf: ['users'],
  users: ['user_id'],
  secrets: ['token_hash', 'proof'],
});
