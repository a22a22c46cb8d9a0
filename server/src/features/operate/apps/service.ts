import { isTimeZone } from '@pharos/engine';
import { type Actor, recordChange, service } from '../../../access/audit.ts';
import { consentTextProblems } from '../../../access/consent.ts';
import { deliveryRuleProblems } from '../../../access/delivery-rules.ts';
import { passkeyProblems } from '../../../access/passkey-site.ts';
import { type AppPolicy, newAppPolicy, policySchema } from '../../../access/policy.ts';
import { settleMs } from '../../../access/pseudonyms/pseudonyms.ts';
import { assertNoPhones } from '../../../access/pseudonyms/rules.ts';
import { endPeriod, insertPeriod } from '../../../access/pseudonyms/store.ts';
import { readRules, tidied } from '../../../access/rules/check.ts';
import { type Preset, presets, type StoredAppRules } from '../../../access/rules/rule-types.ts';
import { type AppRules, compileRules } from '../../../access/rules/rules.ts';
import { invalid, problemUnless } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import { sql } from '../../../base/sql.ts';
import type { Db } from '../../../db/db.ts';
import { defineShape } from '../../../http/shape.ts';
import { type AssertUnchanged, entityTag } from '../../../resources/entity-tag.ts';
import type { PastRecord } from '../../../resources/past.ts';
import type { Context } from '../../context.ts';
import { AppArrival, forgetArrival, hasArrived } from './arrival.ts';
import { type AppCredentials, AppKeys, noSuchApp } from './keys.ts';
import * as store from './store.ts';

/** The settings of an app: its name, and what its policy says. */

type Settings = Readonly<Record<string, unknown>>;

function settingsOf(row: store.AppRow): Settings {
  return { name: row.name, disabled: row.disabled_at !== null, ...store.policyOf(row) };
}

/** What a change of the settings replaces. Whether the app is switched on is no part of it. */
function pastSettings(row: store.AppRow): PastRecord {
  return {
    appId: row.app_id,
    kind: 'settings',
    withinId: '',
    objectId: row.app_id,
    title: row.name,
    state: { name: row.name, policy: store.policyOf(row) },
    createdBy: null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The members that a change touched, as they were and as they are. */
function differences(before: Settings, after: Settings): { before: Settings; after: Settings } {
  const changed = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (from: Settings) => Object.fromEntries(changed.map((name) => [name, from[name]]));
  return { before: pick(before), after: pick(after) };
}

/**
 * From when on, and until when, phones are named by pseudonyms. Other nodes use the previous policy for a moment, so it begins
 * and ends a little later.
 */
async function notePseudonymPeriod(
  db: Db,
  { before, after }: { before: store.AppRow; after: store.AppRow },
  now: number,
) {
  const [was, is] = [store.policyOf(before).pseudonyms, store.policyOf(after).pseudonyms];
  if (was === is) return;
  if (is === 'daily') await insertPeriod(db, after.app_id, now + settleMs);
  else await endPeriod(db, after.app_id, now + settleMs);
}

const policyShape = defineShape(policySchema, {
  rules: ({ timeZone, delivery, passkeys, consentTexts }) => [
    ...problemUnless('timeZone', timeZone, isTimeZone, 'must be an IANA time zone such as Europe/Vienna'),
    ...deliveryRuleProblems('delivery', delivery),
    ...passkeyProblems(passkeys),
    ...consentTextProblems(consentTexts),
  ],
});

/** The tag of an app's settings; its keys have no part in it. */
export const appTag = ({ name, disabled, policy }: Pick<AppView, 'name' | 'disabled' | 'policy'>) =>
  entityTag(JSON.stringify([name, disabled, policy]));

export const rulesTag = ({ stored, policy }: AppRulesView) => entityTag(JSON.stringify([stored, policy]));

export interface AppRulesView {
  /** As they were written: what differs from the preset. */
  readonly stored: StoredAppRules;
  readonly effective: AppRules;
  readonly policy: AppPolicy;
}

export interface AppChange {
  readonly name?: string;
  readonly disabled?: boolean;
  /** Members to replace; the others stay. */
  readonly policy?: unknown;
}

/** Deletes what is left of a deleted app: what was written by nodes that did not know yet, and what an interruption has left. */
export const emptyAppJob = 'app.empty';
/** It belongs to no app, since the jobs of the app go with it. */
const jobTenant = 'console';
/** When that is looked for, ms. What takes longest is an upload that began before. */
const leftAfterMs = [60_000, 3_600_000] as const;

/** An app with its keys, as it is shown. */
export type AppView = Awaited<ReturnType<AppService['get']>>;

export type AppDeps = Pick<Context, 'cacheVersion' | 'db' | 'emptyApp' | 'enqueue' | 'now' | 'past' | 'ruledFields'>;

/** Apps with their settings and rules, for the console and the command line. */
export class AppService {
  readonly #deps: AppDeps;
  readonly keys: AppKeys;
  readonly arrival: AppArrival;

  constructor(deps: AppDeps) {
    this.#deps = deps;
    this.keys = new AppKeys(deps);
    this.arrival = new AppArrival(deps);
  }

  async list() {
    return Promise.all((await store.listApps(this.#deps.db)).map((row) => this.#view(row)));
  }

  async get(appId: string) {
    return this.#view(await this.#find(appId));
  }

  /** @throws Failure ValidationError for a name outside 1 to 100 characters */
  async create(name: string, by: Actor = service, preset: Preset = 'specification'): Promise<AppCredentials> {
    const { db, now } = this.#deps;
    assertName(name);
    assertPreset(preset);
    const appId = newObjectId(now());
    const key = this.keys.make(appId);
    await db.transaction(async (db) => {
      await store.insertApp(db, { appId, name, policy: newAppPolicy[preset], rules: rulesOf(preset), now: now() });
      await store.insertKey(db, key.row);
      await this.#audit(db, by, 'app.create', { appId, after: { name, ...rulesOf(preset) } });
    });
    return key.credentials;
  }

  /** The app of a first start: undefined when there is one, or when there was one before. */
  async createFirst(name: string): Promise<AppCredentials | undefined> {
    const { db, now } = this.#deps;
    const appId = newObjectId(now());
    const key = this.keys.make(appId);
    return db.transaction(async (db) => {
      if ((await store.listApps(db)).length > 0 || !(await store.noteFirstApp(db, appId))) return undefined;
      await store.insertApp(db, {
        appId,
        name,
        policy: newAppPolicy.specification,
        rules: rulesOf('specification'),
        now: now(),
      });
      await store.insertKey(db, key.row);
      await this.#audit(db, service, 'app.create', { appId, after: { name } });
      return key.credentials;
    });
  }

  /** @throws Failure ValidationError, ObjectNotFound, and what `assertUnchanged` throws */
  async change(
    appId: string,
    change: AppChange,
    by: Actor = service,
    assertUnchanged?: AssertUnchanged,
  ): Promise<AppView> {
    const { cacheVersion, now, past } = this.#deps;
    if (change.name !== undefined) assertName(change.name);
    const policy = change.policy === undefined ? {} : policyShape.readUpdate(change.policy).set;
    const at = now();
    await cacheVersion.change(appId, async (db) => {
      const row = await store.lockApp(db, appId);
      if (!row) throw noSuchApp(appId);
      assertUnchanged?.(appTag({ name: row.name, disabled: row.disabled_at !== null, policy: store.policyOf(row) }));
      const disabledAt =
        change.disabled === undefined ? row.disabled_at : change.disabled ? (row.disabled_at ?? now()) : null;
      const next = {
        ...row,
        name: change.name ?? row.name,
        policy: JSON.stringify({ ...(JSON.parse(row.policy) as object), ...policy }),
        disabled_at: disabledAt,
      };
      if (store.policyOf(next).pseudonyms === 'daily') assertNoPhones(store.readRules(next));
      await notePseudonymPeriod(db, { before: row, after: next }, at);
      await store.updateApp(db, appId, { name: next.name, policy: next.policy, disabledAt, now: at });
      if (next.name !== row.name || next.policy !== row.policy)
        await past.noteChange(db, pastSettings(row), { by: { name: by.name, userId: null }, now: at });
      await this.#audit(db, by, 'app.change', { appId, ...differences(settingsOf(row), settingsOf(next)) });
    });
    return this.#view(await this.#find(appId));
  }

  /** The rules of an app, and what follows from them. @throws Failure ObjectNotFound */
  async rules(appId: string): Promise<AppRulesView> {
    return rulesView(await this.#find(appId));
  }

  /** What other rules would make of an app. Nothing is changed. @throws Failure ValidationError, ObjectNotFound */
  async previewRules(appId: string, given: unknown): Promise<AppRulesView> {
    const row = await this.#find(appId);
    const rules = tidied(readRules(given, this.#deps.ruledFields));
    return rulesView({ ...row, rules: JSON.stringify(rules) });
  }

  /**
   * Replaces the rules of an app.
   *
   * @throws Failure ValidationError, ObjectNotFound, and what `assertUnchanged` throws
   */
  async changeRules(
    appId: string,
    given: unknown,
    by: Actor = service,
    assertUnchanged?: AssertUnchanged,
  ): Promise<AppRulesView> {
    const { cacheVersion, now, ruledFields } = this.#deps;
    const rules = tidied(readRules(given, ruledFields));
    await cacheVersion.change(appId, async (db) => {
      const row = await store.lockApp(db, appId);
      if (!row) throw noSuchApp(appId);
      assertUnchanged?.(rulesTag(rulesView(row)));
      if (store.policyOf(row).pseudonyms === 'daily') assertNoPhones(rules);
      await store.updateRules(db, appId, rules, now());
      await this.#audit(db, by, 'app.rules', { appId, before: store.readRules(row), after: rules });
    });
    return this.rules(appId);
  }

  /** Deletes the app with everything in it. Files on disk are swept up afterwards. */
  async remove(appId: string, by: Actor = service): Promise<void> {
    const { db, cacheVersion, now, emptyApp, enqueue } = this.#deps;
    const { name } = await this.#find(appId);
    // Switched off first, so that nothing is written while the rest goes step by step.
    await cacheVersion.change(appId, async (db) => {
      await db.run(sql`update apps set disabled_at = ${now()} where app_id = ${appId}`);
      await this.#audit(db, by, 'app.delete', { appId, before: { name } });
      await forgetArrival(db, appId);
      for (const afterMs of leftAfterMs)
        await enqueue(db, { appId: jobTenant, kind: emptyAppJob, payload: { appId }, runAt: now() + afterMs });
    });
    await emptyApp(db, appId);
    await cacheVersion.change(appId, async () => undefined);
  }

  /** The job's part of `remove`. An app that somebody has switched on again after an interruption stays, and one that has come since. */
  async finishRemoval(appId: string): Promise<void> {
    const { db, cacheVersion, emptyApp } = this.#deps;
    const row = await store.findApp(db, appId);
    if ((row && row.disabled_at === null) || (await hasArrived(db, appId))) return;
    await emptyApp(db, appId);
    if (row) await cacheVersion.change(appId, async () => undefined);
  }

  async #view(row: store.AppRow) {
    return {
      appId: row.app_id,
      name: row.name,
      disabled: row.disabled_at !== null,
      policy: store.policyOf(row),
      keys: await this.keys.live(row.app_id),
      createdAt: new Date(row.created_at).toISOString(),
      updatedAt: new Date(row.updated_at).toISOString(),
    };
  }

  #audit(db: Db, by: Actor, action: string, what: { appId: string; before?: unknown; after?: unknown }) {
    return recordChange(db, { by, action, subject: what.appId, now: this.#deps.now(), ...what });
  }

  async #find(appId: string): Promise<store.AppRow> {
    const { db } = this.#deps;
    const row = await store.findApp(db, appId);
    if (!row) throw noSuchApp(appId);
    return row;
  }
}

function rulesView(row: store.AppRow): AppRulesView {
  const stored = store.readRules(row);
  const policy = store.policyOf(row);
  return { stored, policy, effective: compileRules(stored, policy) };
}

/** The preset of the specification says nothing, like apps that are older than rules. */
const rulesOf = (preset: Preset): StoredAppRules => (preset === 'specification' ? {} : { preset });

function assertPreset(preset: Preset): void {
  if (presets.includes(preset)) return;
  throw invalid('preset', `must be one of ${presets.join(', ')}`);
}

function assertName(name: string): void {
  if (typeof name === 'string' && name.trim().length >= 1 && name.length <= 100) return;
  throw invalid('name', 'must have 1 to 100 characters');
}
