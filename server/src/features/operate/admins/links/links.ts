import { secretHash } from '../../../../access/access.ts';
import { type Actor, recordChange } from '../../../../access/audit.ts';
import { assertReach, type Reach, reachText, storedReach } from '../../../../access/reach.ts';
import type { AdminRole } from '../../../../access/roles.ts';
import { fail } from '../../../../base/errors.ts';
import { newObjectId, randomText } from '../../../../base/id.ts';
import { type Db, ifTaken } from '../../../../db/db.ts';
import type { NewPasskey } from '../../../../sign-in/factors/webauthn.ts';
import type { Context } from '../../../context.ts';
import * as accounts from '../accounts/store.ts';
import * as store from './store.ts';

const hourMs = 3_600_000;
export const invitationDays = 7;
export const resetHours = 1;
/** A link handed over by a person is valid for longer than one sent by mail. */
export const handedHours = 24;
const invitationMs = invitationDays * 24 * hourMs;

/** Longer tokens are refused without hashing them; real ones have 43 characters. */
const maxToken = 128;
const tenant = 'console';
/** Mails to administrators belong to no app. */
const jobTenant = 'console';
export const mailJob = 'mail.administrator';

export type LinkDeps = Pick<Context, 'db' | 'now' | 'passwords' | 'enqueue' | 'publicUrl' | 'canMail'>;

/** What a mail is about; the token is made when the mail is sent, so that the outbox never holds one. */
export interface MailPayload {
  readonly purpose: store.LinkKind;
  /** An invitation, or the address of an administrator. */
  readonly subject: string;
}

export interface Invited {
  readonly email: string;
  readonly role: AdminRole;
  /** The apps of an invited administrator; undefined: all. */
  readonly apps?: Reach;
}

/** Either the mail is on its way, or the link has to be handed over. */
export interface SentLink {
  readonly mailed: boolean;
  readonly link: string | null;
  readonly expiresAt: number;
}

export interface OpenLink {
  readonly tokenHash: string;
  readonly kind: store.LinkKind;
  readonly expiresAt: number;
  readonly email: string;
  readonly role: AdminRole;
  /** The administrator, or who will be. */
  readonly adminId: string;
  readonly subject: string;
}

/** How an invited person will sign in. */
export interface Joining {
  readonly name: string;
  readonly password?: string;
  readonly passkey?: { readonly name: string; readonly fresh: NewPasskey };
}

/** `/console/link#TOKEN`: what follows # is never sent to a server, and is in no log. */
export const linkAddress = (publicUrl: string, token: string) => `${publicUrl}/console/link#${token}`;

export async function makeLink(db: Db, link: Omit<store.LinkRow, 'token_hash'>): Promise<string> {
  const token = randomText(43);
  await store.insertLink(db, { ...link, token_hash: secretHash(token) });
  return token;
}

const unusable = () =>
  fail('ObjectNotFound', 'This link is wrong, has expired or was used already. Ask for a new one.');

/** Invitations of administrators, and links to choose a new password. */
export class AdminLinks {
  readonly #deps: LinkDeps;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  async invitations(): Promise<store.InvitationRow[]> {
    return store.listInvitations(this.#deps.db);
  }

  /** @throws Failure DuplicateValue when the address is an administrator's, or invited already */
  async invite(wanted: Invited, by: Actor) {
    const { db, now } = this.#deps;
    const at = now();
    const { apps = null } = wanted;
    assertReach({ role: wanted.role, apps });
    const row: store.InvitationRow = {
      invitation_id: newObjectId(at),
      admin_id: newObjectId(at),
      email: wanted.email.trim(),
      email_key: accounts.adminEmailKey(wanted.email),
      role: wanted.role,
      apps: reachText(apps),
      invited_by: by.name,
      created_at: at,
      expires_at: at + invitationMs,
    };
    const sent = await db
      .transaction(async (db) => {
        if (await accounts.findAdminByEmail(db, row.email_key))
          throw fail('DuplicateValue', `There is an administrator with the e-mail address ${row.email} already.`);
        await store.insertInvitation(db, row);
        const after = { email: row.email, role: row.role, apps };
        await recordChange(db, { by, action: 'administrator.invite', subject: row.email, after, now: at });
        return this.#send(db, 'invitation', row.invitation_id, row.expires_at);
      })
      .catch(
        ifTaken(() =>
          fail('DuplicateValue', `${row.email} is invited already. Send that invitation again, or withdraw it.`),
        ),
      );
    return { row, sent };
  }

  /** Another link for the same invitation; the former ones end. @throws Failure ObjectNotFound */
  async inviteAgain(invitationId: string, by: Actor) {
    const { db, now } = this.#deps;
    return db.transaction(async (db) => {
      const found = await store.findInvitation(db, invitationId);
      if (!found) throw noInvitation();
      const row = { ...found, expires_at: now() + invitationMs };
      await store.deleteLinksOf(db, invitationId);
      await store.extendInvitation(db, invitationId, row.expires_at);
      await recordChange(db, { by, action: 'administrator.invite', subject: row.email, now: now() });
      return { row, sent: await this.#send(db, 'invitation', invitationId, row.expires_at) };
    });
  }

  /** @throws Failure ObjectNotFound */
  async withdraw(invitationId: string, by: Actor): Promise<void> {
    const { db, now } = this.#deps;
    await db.transaction(async (db) => {
      const row = await store.findInvitation(db, invitationId);
      if (!row || !(await store.deleteInvitation(db, invitationId))) throw noInvitation();
      await recordChange(db, { by, action: 'administrator.uninvite', subject: row.email, now: now() });
    });
  }

  /**
   * Queues a mail with a link to a new password. Only the job looks the address up, so known and unknown ones take the same time.
   *
   * @throws Failure OperationForbidden when no mail server is configured
   */
  async requestReset(email: string): Promise<void> {
    const { db, now, enqueue, canMail } = this.#deps;
    if (!canMail)
      throw fail(
        'OperationForbidden',
        'This service sends no mail. Ask an owner for a link, or make one on the command line: pharos admin link',
      );
    const payload: MailPayload = { purpose: 'reset', subject: accounts.adminEmailKey(email) };
    const expiresAt = now() + resetHours * hourMs;
    await db.transaction((db) => enqueue(db, { appId: jobTenant, kind: mailJob, payload, expiresAt }));
  }

  /** A link to a new password, for an owner to send or to hand over. @throws Failure ObjectNotFound */
  async sendReset(adminId: string, by: Actor): Promise<SentLink> {
    const { db, now, canMail } = this.#deps;
    return db.transaction(async (db) => {
      const admin = await accounts.findAdmin(db, adminId);
      if (!admin) throw fail('ObjectNotFound', `There is no administrator ${adminId}.`);
      if (admin.disabled_at !== null)
        throw fail('OperationForbidden', `${admin.name} is switched off and could not sign in with a new password.`);
      await recordChange(db, { by, action: 'administrator.link', subject: admin.email, now: now() });
      if (canMail) return this.#send(db, 'reset', admin.email_key, now() + resetHours * hourMs);
      await store.deleteLinksOf(db, adminId);
      return this.#hand(db, 'reset', adminId, now() + handedHours * hourMs);
    });
  }

  /** Reads what a link is for. @throws Failure ObjectNotFound for one that is not usable */
  async open(token: string): Promise<OpenLink> {
    const { db, now } = this.#deps;
    if (token.length > maxToken) throw unusable();
    const tokenHash = secretHash(token);
    const link = await store.findLink(db, tokenHash, now());
    if (!link) throw unusable();
    const { kind, subject, expires_at: expiresAt } = link;
    const row = kind === 'invitation' ? await store.findInvitation(db, subject) : await accounts.findAdmin(db, subject);
    if (!row || ('disabled_at' in row && row.disabled_at !== null)) throw unusable();
    return { tokenHash, kind, subject, expiresAt, email: row.email, role: row.role, adminId: row.admin_id };
  }

  /** The invited person becomes an administrator. @throws Failure ObjectNotFound, DuplicateValue */
  async join(
    link: OpenLink,
    { name, password, passkey }: Joining,
    address: string,
    addPasskey: (db: Db, adminId: string) => Promise<unknown>,
  ): Promise<accounts.AdminRow> {
    const { db, now, passwords } = this.#deps;
    const hash = password === undefined ? null : await passwords.hash(password, tenant);
    const at = now();
    return db
      .transaction(async (db) => {
        const invitation = await store.findInvitation(db, link.subject);
        if (!invitation || !(await store.takeLink(db, link.tokenHash, at))) throw unusable();
        await store.deleteInvitation(db, invitation.invitation_id);
        const { admin_id, email, role, apps } = invitation;
        const invited = { admin_id, email, name, password_hash: hash, role, apps, has_factor: passkey ? 1 : 0 };
        const row = accounts.newAdminRow(invited, at);
        await accounts.insertAdmin(db, row);
        if (passkey) await addPasskey(db, row.admin_id);
        await recordChange(db, {
          by: { name: row.email, address },
          action: 'administrator.join',
          subject: row.email,
          after: { role: row.role, apps: storedReach(row), invitedBy: invitation.invited_by },
          now: at,
        });
        return row;
      })
      .catch(
        ifTaken(() =>
          fail('DuplicateValue', `There is an administrator with the e-mail address ${link.email} already.`),
        ),
      );
  }

  /** Sets the new password and ends every session and link. Second factors stay. @throws Failure ObjectNotFound */
  async resetPassword(link: OpenLink, password: string, address: string): Promise<void> {
    const { db, now, passwords } = this.#deps;
    const hash = await passwords.hash(password, tenant);
    await db.transaction(async (db) => {
      const admin = await accounts.lockAdmin(db, link.adminId);
      if (!admin || admin.disabled_at !== null || !(await store.takeLink(db, link.tokenHash, now()))) throw unusable();
      await accounts.writeAdmin(db, { ...admin, password_hash: hash, updated_at: now() });
      await accounts.deleteSessionsOf(db, admin.admin_id);
      await store.deleteLinksOf(db, admin.admin_id);
      const by = { name: admin.email, address };
      await recordChange(db, { by, action: 'administrator.resetPassword', subject: admin.email, now: now() });
    });
  }

  async sweep(): Promise<void> {
    const { db, now } = this.#deps;
    await store.deleteExpiredLinks(db, now());
  }

  async #send(db: Db, kind: store.LinkKind, subject: string, expiresAt: number): Promise<SentLink> {
    const { enqueue, canMail } = this.#deps;
    if (!canMail) return this.#hand(db, kind, subject, expiresAt);
    const payload: MailPayload = { purpose: kind, subject };
    await enqueue(db, { appId: jobTenant, kind: mailJob, payload, expiresAt });
    return { mailed: true, link: null, expiresAt };
  }

  async #hand(db: Db, kind: store.LinkKind, subject: string, expiresAt: number): Promise<SentLink> {
    const { publicUrl } = this.#deps;
    const token = await makeLink(db, { kind, subject, expires_at: expiresAt });
    return { mailed: false, link: linkAddress(publicUrl(), token), expiresAt };
  }
}

const noInvitation = () => fail('ObjectNotFound', 'There is no such invitation. It may have been accepted.');
