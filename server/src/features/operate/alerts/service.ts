import { standingIn, storedReach } from '../../../access/reach.ts';
import type { AdminRole } from '../../../access/roles.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import { mailWords } from '../../../mail/words/mail-words.ts';
import { type ConditionKind, conditionKinds, type ServiceCondition } from '../../condition.ts';
import type { Context } from '../../context.ts';
import { dayIn } from '../../zone-day.ts';
import { type ConditionChange, titleOf } from './alert-title.ts';
import { digestOf, isUrgent, isWanted, isWantedOnPhone } from './choices.ts';
import * as store from './store.ts';

export interface AlertRecipient {
  readonly adminId: string;
  readonly email: string;
  readonly role: AdminRole;
  /** The language of mails and pushes; null: English. */
  readonly language: string | null;
}

interface PhoneNotice {
  readonly title: string;
  /** Each in their language. A phone of several people gets one push, in the language of the first. */
  readonly people: readonly { readonly adminId: string; readonly text: string }[];
}

/** An app, or the whole service. */
export interface AlertScope {
  readonly appId: string;
  readonly name: string;
  readonly timeZone: string;
}

export const alertMailJob = 'mail.alert';
const jobTenant = 'console';

/** What a mail is about. Who receives it is looked up when it is sent. */
export interface AlertMail {
  readonly adminId: string;
  readonly what: ConditionChange | 'digest';
  readonly scope: AlertScope;
  /** Only for a digest: it lists conditions that ended after this time (ms). */
  readonly since?: number;
  readonly alert?: Pick<store.AlertRow, 'kind' | 'title' | 'text'> & {
    readonly begunAt: number;
    readonly venueId?: string;
  };
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How long a condition must last before it is reported, and be gone before it is over, so that flapping is reported once. */
const confirmMs: Readonly<Partial<Record<ConditionKind, number>>> = {
  database: 0,
  backup: 0,
  disk: 2 * minuteMs,
  // A waiting push does not flap.
  approval: 0,
  // The finder has already waited before the beginning and the end.
  crowded: 0,
};
const usualConfirmMs = 9 * minuteMs;
const goneMs: Readonly<Partial<Record<ConditionKind, number>>> = { approval: 0, crowded: 0 };
const usualGoneMs = 9 * minuteMs;
const remindMs = dayMs;
/** A node's condition counts as over when nobody has confirmed it for this long: the node is gone. */
const forgottenMs = dayMs;
/** A mail that could not be sent for this long would be old news. */
const mailMs = 12 * 60 * minuteMs;
const digestHour = 7;
const monday = 1;

/**
 * Follows conditions from when they are first found until they are over, and notifies those who want to know. Notices are queued
 * in the transaction in which the row of the alert changes, so that each is sent once, however often and by whichever node it is
 * checked.
 */
export class AlertService {
  readonly #deps: Context;
  /** The last day of an app of which its digest has been made, as far as this process knows: it need not try again. */
  readonly #digested = new Map<string, string>();

  constructor(deps: Context) {
    this.#deps = deps;
  }

  /** `covers`: the keys that this check can find to be gone. */
  async follow(
    scope: AlertScope,
    found: readonly ServiceCondition[],
    covers: (key: string) => boolean = () => true,
  ): Promise<void> {
    const { db, now } = this.#deps;
    const at = now();
    if (found.length === 0 && !(await store.hasOpenAlerts(db, scope.appId))) return;
    await db.transaction(async (db) => {
      const open = new Map((await store.lockOpenAlerts(db, scope.appId)).map((row) => [row.alert_key, row]));
      for (const condition of found) {
        const row = open.get(condition.key);
        open.delete(condition.key);
        if (row) await this.#goOn(db, scope, { row, condition, at });
        else await this.#begin(db, scope, condition, at);
      }
      for (const row of open.values())
        if (covers(row.alert_key) || at - row.seen_at > forgottenMs) await this.#missed(db, scope, row, at);
    });
  }

  /** Mails the day's digest, from 7:00 in the app's time zone, to those who want one. Answers whether it was due. */
  async digest(scope: AlertScope): Promise<boolean> {
    const { db, now, canMail, enqueue } = this.#deps;
    if (!canMail) return false;
    const at = now();
    const { day, hour, weekday } = dayIn(scope.timeZone, at);
    if (hour < digestHour || this.#digested.get(scope.appId) === day) return false;
    await db.transaction(async (db) => {
      if (!(await store.noteDigest(db, scope.appId, day, at))) return;
      for (const { adminId, role } of await listRecipients(this.#deps, db, { scope, venueId: undefined })) {
        const digest = digestOf(await store.listChoices(db, adminId));
        if (digest === 'off' || (digest === 'weekly' && weekday !== monday)) continue;
        if (scope.appId === store.serviceScope && role !== 'owner') continue;
        const since = at - (digest === 'weekly' ? 7 : 1) * dayMs;
        const payload: AlertMail = { adminId, what: 'digest', scope, since };
        await enqueue(db, { appId: jobTenant, kind: alertMailJob, payload, expiresAt: at + mailMs });
      }
    });
    this.#digested.set(scope.appId, day);
    return true;
  }

  async #begin(db: Db, scope: AlertScope, condition: ServiceCondition, at: number): Promise<void> {
    const row = await store.insertAlert(db, scope.appId, condition, at);
    if (row && waitOf(condition.kind) === 0) await this.#goOn(db, scope, { row, condition, at });
  }

  async #goOn(
    db: Db,
    scope: AlertScope,
    { row, condition, at }: { readonly row: store.AlertRow; readonly condition: ServiceCondition; readonly at: number },
  ): Promise<void> {
    const { title, text, isGrave } = condition;
    const seen = { ...row, title, text, is_grave: isGrave ? 1 : 0, seen_at: at, gone_at: null };
    if (row.begun_at === null) {
      if (at - row.first_seen_at < waitOf(row.kind)) return store.saveAlert(db, seen);
      return this.#notify(db, scope, { ...seen, begun_at: row.first_seen_at, told_at: at }, 'begun');
    }
    if (at - (row.told_at ?? 0) < remindMs) return store.saveAlert(db, seen);
    return this.#notify(db, scope, { ...seen, told_at: at }, 'still');
  }

  async #missed(db: Db, scope: AlertScope, row: store.AlertRow, at: number): Promise<void> {
    // Nobody was told of it.
    if (row.begun_at === null) return store.deleteAlert(db, row);
    const goneAt = row.gone_at ?? at;
    if (at - goneAt >= (goneMs[row.kind] ?? usualGoneMs))
      return this.#notify(db, scope, { ...row, ended_at: goneAt }, 'ended');
    if (row.gone_at === null) await store.saveAlert(db, { ...row, gone_at: at });
  }

  /** Saves the row and queues the notices about it. */
  async #notify(db: Db, scope: AlertScope, row: store.AlertRow, what: ConditionChange): Promise<void> {
    await store.saveAlert(db, row);
    await this.#mail(db, scope, row, what);
    if (what === 'still') return;
    await this.#call(db, scope, row, what);
    await this.#push(db, scope, row, what);
  }

  async #mail(db: Db, scope: AlertScope, row: store.AlertRow, what: ConditionChange): Promise<void> {
    const { now, canMail, enqueue } = this.#deps;
    if (!canMail) return;
    const { kind, title, text } = row;
    const about = row.venue_id === null ? {} : { venueId: row.venue_id };
    const alert = { kind, title, text, begunAt: row.begun_at ?? row.first_seen_at, ...about };
    for (const { adminId, role } of await listRecipients(this.#deps, db, { scope, venueId: about.venueId })) {
      if (!isNotified(role, kind, scope)) continue;
      if (!isWanted(role, kind, await store.listChoices(db, adminId))) continue;
      const payload: AlertMail = { adminId, what, scope, alert };
      await enqueue(db, { appId: jobTenant, kind: alertMailJob, payload, expiresAt: now() + mailMs });
    }
  }

  /** Reminders come by mail alone. */
  async #push(db: Db, scope: AlertScope, { kind, title, venue_id }: store.AlertRow, what: 'begun' | 'ended') {
    if (!isUrgent(kind)) return;
    const people: { adminId: string; text: string }[] = [];
    for (const { adminId, role, language } of await listRecipients(this.#deps, db, {
      scope,
      venueId: venue_id ?? undefined,
    }))
      if (isWantedOnPhone(role, kind, await store.listChoices(db, adminId)))
        people.push({ adminId, text: titleOf(mailWords(language), what, title) });
    if (people.length > 0) await notifyPhones(this.#deps, db, scope.appId, { title: scope.name, people });
  }

  async #call(db: Db, scope: AlertScope, row: store.AlertRow, what: 'begun' | 'ended'): Promise<void> {
    const { webhookPublisher, listAppsWanting, now } = this.#deps;
    const isService = scope.appId === store.serviceScope;
    const { kind, title, text } = row;
    const data = {
      kind,
      key: row.alert_key,
      isGrave: row.is_grave === 1,
      title,
      text,
      begunAt: isoTime(row.begun_at ?? row.first_seen_at),
      endedAt: row.ended_at === null ? null : isoTime(row.ended_at),
    };
    const type = `${isService ? 'service.alert' : 'alert'}.${what}` as const;
    for (const appId of isService ? await listAppsWanting(db, type) : [scope.appId])
      await webhookPublisher.tellRare(db, appId, () => [{ type, at: now(), data }]);
  }
}

const waitOf = (kind: ConditionKind) => confirmMs[kind] ?? usualConfirmMs;

/** Owners are notified of what concerns the whole service. */
function isNotified(role: AdminRole, kind: ConditionKind, scope: AlertScope): boolean {
  const isService = scope.appId === store.serviceScope || conditionKinds[kind].of === 'service';
  return !isService || role === 'owner';
}

/**
 * Administrators who can sign in and whose role holds for the app as a whole, or the service; with that role. Of what is about one
 * venue, also those who are limited to that venue.
 */
export async function listRecipients(
  { listAdmins }: Pick<Context, 'listAdmins'>,
  db: Db,
  { scope: { appId }, venueId }: { readonly scope: AlertScope; readonly venueId: string | undefined },
): Promise<readonly AlertRecipient[]> {
  return (await listAdmins(db)).flatMap((row) => {
    const { admin_id: adminId, email, role, language, disabled_at } = row;
    const apps = storedReach(row);
    const standing =
      appId === store.serviceScope ? apps === null && { role, venues: undefined } : standingIn({ role, apps }, appId);
    if (disabled_at !== null || !standing) return [];
    const isWithin = standing.venues === undefined || (venueId !== undefined && standing.venues.includes(venueId));
    return isWithin ? [{ adminId, email, language, role: standing.role }] : [];
  });
}

/** After half an hour, an alarm that calls somebody to a room is outdated. */
const noticeMs = 30 * 60_000;

/** Sends a push to the phones that these administrators have paired with themselves in an app. */
async function notifyPhones(deps: Context, db: Db, appId: string, { title, people }: PhoneNotice): Promise<void> {
  const { now, listPhones, pushNotice } = deps;
  const texts = new Map<string, string>();
  for (const { adminId, text } of people)
    for (const { object_id } of await listPhones(db, { appId, adminId }))
      if (!texts.has(object_id)) texts.set(object_id, text);
  for (const [text, found] of Map.groupBy(texts, ([, text]) => text)) {
    const data = { title, alert: text, sound: 'default' };
    const phones = found.map(([phone]) => phone);
    await pushNotice(db, deps, { appId, phones, data, expiresAt: now() + noticeMs, now: now() });
  }
}
