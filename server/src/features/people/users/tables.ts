import { bigint, defineTable, nullable, text as textColumn, withDefault } from '../../../db/table.ts';
import type { Tag } from '../../../http/endpoint.ts';
import { json, text, time } from '../../../resources/members/members.ts';
import { recordsOf } from '../../../resources/table.ts';

export const usersTag: Tag = {
  name: 'Users',
  description: 'Accounts of the people who use the app, and signing in.',
  place: 50,
};

export const users = defineTable({
  name: 'users',
  owner: 'users',
  columns: {
    app_id: textColumn,
    object_id: textColumn,
    email: textColumn,
    email_key: nullable(textColumn),
    email_verified_at: nullable(bigint),
    /** Hashes of the addresses that the account had before, a JSON list; the newest last. */
    former_addresses: nullable(textColumn),
    password_hash: nullable(textColumn),
    firstname: textColumn,
    middlename: nullable(textColumn),
    lastname: textColumn,
    country: nullable(textColumn),
    phone: nullable(textColumn),
    metadata: textColumn,
    role: textColumn,
    disabled_at: nullable(bigint),
    /** Ids of venues, a JSON list. */
    venues: withDefault(textColumn),
    created_at: bigint,
    updated_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    users_email: { on: ['app_id', 'email_key'], isUnique: true },
    users_foreign_password: { on: ['app_id'], isPartial: true },
  },
  users: ['object_id'],
  secrets: ['password_hash', 'former_addresses'],
});

/** What others may see of a user, and so the only members by which a list can be filtered and ordered. */
export const userSummaryTable = recordsOf(users, {
  objectId: text('object_id'),
  firstname: text('firstname'),
  lastname: text('lastname'),
  validemail: text('email'),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});

const more = {
  middlename: text('middlename', { nullable: true }),
  country: text('country', { nullable: true }),
  phone: text('phone', { nullable: true }),
  metadata: json('metadata', { empty: '{}' }),
} as const;

/** What users see of themselves. */
export const profileTable = recordsOf(users, {
  venueIds: json('venues', { empty: '[]' }),
  objectId: text('object_id'),
  firstname: text('firstname'),
  middlename: more.middlename,
  lastname: text('lastname'),
  validemail: text('email'),
  emailVerifiedAt: time('email_verified_at', { nullable: true }),
  country: more.country,
  phone: more.phone,
  metadata: more.metadata,
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
});

const seenByAdministrators = {
  objectId: text('object_id'),
  firstname: text('firstname'),
  lastname: text('lastname'),
  email: text('email'),
  emailVerifiedAt: time('email_verified_at', { optional: true }),
  role: text('role'),
  disabledAt: time('disabled_at', { optional: true }),
  createdAt: time('created_at'),
  updatedAt: time('updated_at'),
} as const;

/** What administrators see in a list of users. */
export const userAdminTable = recordsOf(users, seenByAdministrators);

/** What administrators see of one user: everything but the password. */
export const userDetailTable = recordsOf(users, {
  ...seenByAdministrators,
  ...more,
  venueIds: json('venues', { empty: '[]' }),
});

export const sessions = defineTable({
  name: 'sessions',
  owner: 'users',
  columns: {
    app_id: textColumn,
    object_id: textColumn,
    user_id: textColumn,
    method: nullable(textColumn),
    provider: nullable(textColumn),
    user_agent: nullable(textColumn),
    family_hash: nullable(textColumn),
    refresh_hash: nullable(textColumn),
    previous_hash: nullable(textColumn),
    rotated_at: nullable(bigint),
    /** The hash of the valid refresh token, until the access token sent with it is used: until then neither may have arrived. */
    unheard_hash: nullable(textColumn),
    /** 1: it was begun with two factors. */
    second_factor: withDefault(bigint),
    created_at: bigint,
    last_used_at: bigint,
    expires_at: bigint,
  },
  key: ['app_id', 'object_id'],
  indexes: {
    sessions_family: { on: ['app_id', 'family_hash'], isUnique: true },
    sessions_user: { on: ['app_id', 'user_id'] },
    sessions_expiry: { on: ['expires_at'] },
  },
  childOf: ['users'],
  users: ['user_id'],
  secrets: ['family_hash', 'refresh_hash', 'previous_hash', 'unheard_hash'],
});

export const tokens = defineTable({
  name: 'tokens',
  owner: 'users',
  columns: {
    app_id: textColumn,
    token_hash: textColumn,
    user_id: textColumn,
    session_id: withDefault(textColumn),
    is_short: withDefault(bigint),
    created_at: bigint,
    last_used_at: bigint,
    expires_at: bigint,
  },
  key: ['app_id', 'token_hash'],
  indexes: {
    tokens_user: { on: ['app_id', 'user_id'] },
    tokens_session: { on: ['app_id', 'session_id'] },
    tokens_expiry: { on: ['expires_at'] },
  },
  childOf: ['users', 'sessions'],
  users: ['user_id'],
  secrets: ['token_hash'],
});

/** Sign-ins whose first half was right, with a hash of the challenge that continues each. */
export const halfSignIns = defineTable({
  name: 'half_sign_ins',
  owner: 'users',
  columns: {
    app_id: textColumn,
    token_hash: textColumn,
    user_id: textColumn,
    method: textColumn,
    provider: nullable(textColumn),
    user_agent: nullable(textColumn),
    is_renewable: bigint,
    /** How often a code was tried. */
    attempts: bigint,
    expires_at: bigint,
  },
  key: ['app_id', 'token_hash'],
  indexes: {
    half_sign_ins_user: { on: ['app_id', 'user_id'] },
    half_sign_ins_expiry: { on: ['expires_at'] },
  },
  childOf: ['users'],
  users: ['user_id'],
  secrets: ['token_hash'],
});

export const passwordResets = defineTable({
  name: 'password_resets',
  owner: 'users',
  columns: { app_id: textColumn, token_hash: textColumn, user_id: textColumn, expires_at: bigint },
  key: ['app_id', 'token_hash'],
  indexes: {
    password_resets_user: { on: ['app_id', 'user_id'] },
    password_resets_expiry: { on: ['expires_at'] },
  },
  childOf: ['users'],
  users: ['user_id'],
  secrets: ['token_hash'],
});
