import { secretHash } from '../../../../access/access.ts';
import { type Actor, recordChange } from '../../../../access/audit.ts';
import { assertReach, type Reach, reachText, storedReach } from '../../../../access/reach.ts';
import type { AdminRole } from '../../../../access/roles.ts';
import { fail } from '../../../../base/errors.ts';
import { newObjectId, randomText } from '../../../../base/id.ts';
import { type Db, ifTaken } from '../../../../db/db.ts';
import { type AssertUnchanged, entityTag } from '../../../../resources/entity-tag.ts';
import type { Context } from '../../../context.ts';
import type { AfterAdminChange } from './after-change.ts';
import * as store from './store.ts';

export interface NewAdmin {
  readonly email: string;
  readonly name: string;
  readonly role: AdminRole;
  /** Everywhere without it. */
  readonly apps?: Reach;
  readonly password: string;
}

export interface SecurityChange {
  readonly by: Actor;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

export const securityTag = (security: { readonly secondFactorRequired: boolean }) =>
  entityTag(JSON.stringify(security));

export interface AdminChange {
  readonly name?: string;
  readonly role?: AdminRole;
  readonly apps?: Reach;
  readonly disabled?: boolean;
}

export type AdminView = ReturnType<typeof adminView>;

export function adminView(row: store.AdminRow) {
  return {
    adminId: row.admin_id,
    email: row.email,
    name: row.name,
    role: row.role,
    apps: storedReach(row),
    disabled: row.disabled_at !== null,
    secondFactor: row.has_factor > 0,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  };
}

const shown = ({ email, name, role, apps, disabled }: AdminView) => ({ email, name, role, apps, disabled });

/** The tag of what can be changed of an administrator. */
export const adminTag = (admin: AdminView): string => entityTag(JSON.stringify(shown(admin)));

export interface AdminDeps extends Pick<Context, 'db' | 'now' | 'passwords'> {
  readonly afterChange: AfterAdminChange;
}

/** The tenant of passwords that are checked here; apps have turns of their own. */
const tenant = 'console';

export class AdminService {
  readonly #deps: AdminDeps;

  constructor(deps: AdminDeps) {
    this.#deps = deps;
  }

  async hasAdmin(): Promise<boolean> {
    return store.hasAdmin(this.#deps.db);
  }

  async list(): Promise<AdminView[]> {
    return (await store.listAdmins(this.#deps.db)).map(adminView);
  }

  /** @throws Failure ObjectNotFound */
  async get(adminId: string): Promise<AdminView> {
    const { db } = this.#deps;
    const row = await store.findAdmin(db, adminId);
    if (!row) throw noSuchAdmin(adminId);
    return adminView(row);
  }

  async findByEmail(email: string): Promise<AdminView | undefined> {
    const { db } = this.#deps;
    const row = await store.findAdminByEmail(db, store.adminEmailKey(email));
    return row && adminView(row);
  }

  /**
   * The token of the set-up link, which creates the first owner; only its hash is stored. Undefined if there is an
   * administrator, or a link was issued before.
   */
  async makeSetupToken(): Promise<string | undefined> {
    const { db } = this.#deps;
    const token = randomText(43);
    return db.transaction(async (db) => {
      if (await store.hasAdmin(db)) return undefined;
      return (await store.insertSetupToken(db, secretHash(token))) ? token : undefined;
    });
  }

  /** Creates the first owner. @throws Failure OperationForbidden for a link that is wrong or was used */
  async setUp(token: string, owner: Omit<NewAdmin, 'role'>, address: string): Promise<store.AdminRow> {
    const { db } = this.#deps;
    const row = await this.#prepare({ ...owner, role: 'owner' });
    await db.transaction(async (db) => {
      const isGood = (await store.takeSetupToken(db, secretHash(token))) && !(await store.hasAdmin(db));
      if (!isGood)
        throw fail(
          'OperationForbidden',
          'This set-up link is wrong, or was used already. You can also create an administrator with: pharos admin create',
        );
      await insert(db, row, { name: row.email, address });
    });
    return row;
  }

  /** @throws Failure DuplicateValue when an administrator has this e-mail address already */
  async create(admin: NewAdmin, by: Actor): Promise<AdminView> {
    const { db } = this.#deps;
    const row = await this.#prepare(admin);
    await db
      .transaction(async (db) => {
        await insert(db, row, by);
        // Once there is an administrator, there is nothing left to set up.
        await store.deleteSetupToken(db);
      })
      .catch(
        ifTaken(() =>
          fail('DuplicateValue', `There is an administrator with the e-mail address ${row.email} already.`),
        ),
      );
    return adminView(row);
  }

  /**
   * Disabling ends every session of the administrator.
   *
   * @throws Failure ObjectNotFound, OperationForbidden, PreconditionFailed
   */
  async change(
    adminId: string,
    change: AdminChange,
    { by, assertUnchanged }: { readonly by: Actor; readonly assertUnchanged?: AssertUnchanged | undefined },
  ): Promise<store.AdminRow> {
    const { now } = this.#deps;
    return this.#update(adminId, by, {
      action: 'administrator.change',
      change: (row) => {
        assertUnchanged?.(adminTag(adminView(row)));
        const role = change.role ?? row.role;
        // Whoever becomes an owner is limited to nothing any more, unless the request says so itself and is refused.
        const apps = change.apps === undefined ? (role === 'owner' ? null : storedReach(row)) : change.apps;
        assertReach({ role, apps });
        return {
          ...row,
          name: change.name ?? row.name,
          role,
          apps: reachText(apps),
          apps_by_groups: change.apps === undefined && role !== 'owner' ? row.apps_by_groups : 0,
          disabled_at:
            change.disabled === undefined ? row.disabled_at : change.disabled ? (row.disabled_at ?? now()) : null,
        };
      },
    });
  }

  /**
   * Ends every session of the administrator. `known`: the password that was checked, null for none.
   *
   * @throws Failure ObjectNotFound, UserInvalidLoginParams when it was changed since it was checked
   */
  async setPassword(adminId: string, password: string, by: Actor, known?: string | null): Promise<store.AdminRow> {
    const { passwords } = this.#deps;
    const hash = await passwords.hash(password, tenant);
    return this.#update(adminId, by, {
      action: 'administrator.password',
      change: (row) => {
        if (known !== undefined && row.password_hash !== known)
          throw fail('UserInvalidLoginParams', 'The current password is wrong.');
        return { ...row, password_hash: hash };
      },
    });
  }

  /** False for whoever signs in with a passkey or through a provider only. */
  async hasPassword(adminId: string): Promise<boolean> {
    return typeof (await store.findAdmin(this.#deps.db, adminId))?.password_hash === 'string';
  }

  /** Whether every administrator needs a second factor. */
  async isFactorRequired(): Promise<boolean> {
    return store.isFactorRequired(this.#deps.db);
  }

  /**
   * From the next request on, administrators without one can only set one up.
   *
   * @throws Failure PreconditionFailed; OperationForbidden when the caller has none
   */
  async requireFactor(isRequired: boolean, adminId: string, { by, assertUnchanged }: SecurityChange): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      // One owner after the other.
      await store.lockOwners(db);
      const admin = await store.lockAdmin(db, adminId);
      if (isRequired && !admin?.has_factor)
        throw fail('OperationForbidden', 'Set up a second factor for yourself first.');
      const before = await store.isFactorRequired(db);
      assertUnchanged?.(securityTag({ secondFactorRequired: before }));
      if (before === isRequired) return;
      await store.setFactorRequired(db, isRequired);
      await recordChange(db, {
        by,
        action: 'security.change',
        subject: 'second factor',
        before: { secondFactorRequired: before },
        after: { secondFactorRequired: isRequired },
        now: now(),
      });
    });
  }

  /** Before the transaction, because hashing takes long. */
  async #prepare(admin: NewAdmin) {
    const { now, passwords } = this.#deps;
    assertReach({ role: admin.role, apps: admin.apps ?? null });
    const { email, name, role, apps = null, password } = admin;
    const [hash, at] = [await passwords.hash(password, tenant), now()];
    const row = {
      admin_id: newObjectId(at),
      email: email.trim(),
      name,
      password_hash: hash,
      role,
      apps: reachText(apps),
    };
    return store.newAdminRow(row, at);
  }

  /** Changes one administrator; an owner who can sign in must always remain. */
  async #update(
    adminId: string,
    by: Actor,
    how: { readonly action: string; readonly change: (row: store.AdminRow) => store.AdminRow },
  ): Promise<store.AdminRow> {
    const { db, now, afterChange } = this.#deps;
    return db.transaction(async (db) => {
      // The owners are locked first, so that two owners cannot remove each other at the same moment.
      const owners = await store.lockOwners(db);
      // All that is known is written: a password that was changed in the meantime must not come back.
      const row = await store.lockAdmin(db, adminId);
      if (!row) throw noSuchAdmin(adminId);
      const next = how.change({ ...row, updated_at: Math.max(now(), row.updated_at) });
      const isOwner = next.role === 'owner' && next.disabled_at === null;
      if (!isOwner && owners.every(({ admin_id }) => admin_id === adminId))
        throw fail('OperationForbidden', 'This is the last owner. Make another administrator an owner first.');
      await store.writeAdmin(db, next);
      if (next.disabled_at !== null || next.password_hash !== row.password_hash)
        await store.deleteSessionsOf(db, adminId);
      await afterChange(db, { email: row.email, before: row, after: next }, { by, now: now() });
      const [before, after] = [shown(adminView(row)), shown(adminView(next))];
      await recordChange(db, { by, action: how.action, subject: row.email, before, after, now: now() });
      return next;
    });
  }
}

const noSuchAdmin = (adminId: string) => fail('ObjectNotFound', `There is no administrator ${adminId}.`);

async function insert(db: Db, row: store.AdminRow, by: Actor): Promise<void> {
  await store.insertAdmin(db, row);
  const after = shown(adminView(row));
  await recordChange(db, { by, action: 'administrator.create', subject: row.email, after, now: row.created_at });
}
