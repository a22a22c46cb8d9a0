import { type Actor, recordChange } from '../../../../access/audit.ts';
import { readRules, tidied } from '../../../../access/rules/check.ts';
import type { DryRun } from '../../../../access/rules/dry-run.ts';
import { type Openness, opennessOf } from '../../../../access/rules/openness.ts';
import type { ResourceName } from '../../../../access/rules/presets.ts';
import type { StoredAppRules } from '../../../../access/rules/rule-types.ts';
import { compileRules } from '../../../../access/rules/rules.ts';
import { fail } from '../../../../base/errors.ts';
import { type AssertUnchanged, entityTag } from '../../../../resources/entity-tag.ts';
import type { Context } from '../../../context.ts';
import * as store from '../store.ts';
import type { DryRunCount, DryRunCounter, DryRunReport } from './dry-run-meter.ts';

export interface DryRunView extends DryRunReport {
  /** The rules in question; without them nothing is counted. */
  readonly rules: StoredAppRules | undefined;
  /** They were chosen, and are not those that would close the app. */
  readonly isChosen: boolean;
  readonly closed: StoredAppRules;
  /** What the app's own rules leave to strangers. */
  readonly open: Openness;
  /** Of what was chosen; what was counted has no part in it. */
  readonly tag: string;
}

interface Changing {
  readonly by: Actor;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

interface Deps extends Pick<Context, 'db' | 'cacheVersion' | 'now' | 'ruledFields'> {
  readonly counter: DryRunCounter;
  readonly listBuckets: (appId: string) => Promise<readonly { readonly name: string }[]>;
}

export class DryRunService {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** @throws Failure ObjectNotFound */
  async read(appId: string): Promise<DryRunView> {
    const { db, counter, listBuckets } = this.#deps;
    const app = await store.findApp(db, appId);
    if (!app) throw noSuchApp(appId);
    const own = compileRules(store.readRules(app), store.policyOf(app));
    const dryRun = store.dryRunOf(app, own, counter);
    const buckets = await listBuckets(appId);
    const report = await counter.read(appId);
    return {
      rules: dryRun?.rules.stored,
      isChosen: app.dry_run !== null,
      closed: store.closedRulesOf(app),
      open: opennessOf(
        own,
        buckets.map(({ name }) => name),
      ),
      tag: dryRunTag(app),
      ...report,
      // A rule that has been changed since is refused or let in by the app itself.
      counts: report.counts.filter((count) => dryRun && isOpen(count, dryRun)),
    };
  }

  /**
   * Counts from now on what these rules would refuse; undefined: what closing the app would.
   *
   * @throws Failure ValidationError, ObjectNotFound, PreconditionFailed
   */
  async change(appId: string, given: unknown, { by, assertUnchanged }: Changing): Promise<DryRunView> {
    const { cacheVersion, counter, now, ruledFields } = this.#deps;
    const rules = given === undefined ? undefined : tidied(readRules(given, ruledFields));
    await cacheVersion.change(appId, async (db) => {
      const row = await store.lockApp(db, appId);
      if (!row) throw noSuchApp(appId);
      assertUnchanged?.(dryRunTag(row));
      await store.updateDryRun(db, appId, rules);
      await counter.forget(db, appId);
      const before = row.dry_run === null ? undefined : JSON.parse(row.dry_run);
      await recordChange(db, { by, action: 'app.dryRun', subject: appId, now: now(), appId, before, after: rules });
    });
    return this.read(appId);
  }
}

function isOpen({ subject, verb }: DryRunCount, dryRun: DryRun): boolean {
  const [, bucket] = subject.split(' ');
  return dryRun.changed(bucket === undefined ? (subject as ResourceName) : 'bucket', verb, bucket) !== undefined;
}

const dryRunTag = ({ dry_run: chosen }: { readonly dry_run: string | null }) => entityTag(chosen ?? '');

const noSuchApp = (appId: string) => fail('ObjectNotFound', `There is no app ${appId}.`);
