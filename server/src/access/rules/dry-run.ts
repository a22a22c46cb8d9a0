import { BoundedMap } from '../../base/caches/bounded-map.ts';
import { PairCache } from '../../base/caches/pair-cache.ts';
import { type ResourceName, ruledResources } from './presets.ts';
import type { Gate, Rule } from './rule.ts';
import { type MemberRole, type RuleUser, type Verb, verbs } from './rule-types.ts';
import type { AppRules, ResourceRules } from './rules.ts';

/** Rules that an app does not have: requests are answered without them, and what they would have refused is counted. */

/** One cell of the rules and one kind of caller. */
export interface DryRunCell {
  /** A resource, or `bucket` and its name. */
  readonly subject: string;
  readonly verb: Verb;
  readonly caller: MemberRole;
}

/** `hidden`: a record would not have been found, or a list would have been shorter. */
export type DryRunOutcome = 'refused' | 'hidden';

export type Requests = Record<MemberRole, number>;

export interface DryRunMeter {
  /** How many requests of an app were looked at, by who sent them. They are counted in place. */
  requestsOf(appId: string): Requests;
  /** When the first one was counted. */
  writeLater(): void;
  note(appId: string, cell: DryRunCell, outcome: DryRunOutcome): void;
  /** The lists that were asked for in a cell. They are counted in place. */
  listsOf(appId: string, cell: DryRunCell): CompiledQueries;
  /** Judges one list in the background, for all lists of this cell since the last one. */
  judgeList(appId: string, cell: DryRunCell, lists: CompiledQueries, isNarrowed: () => Promise<boolean>): void;
}

export interface CompiledQueries {
  /** Epoch milliseconds. */
  judgedAt: number;
  /** Since then. */
  unjudged: number;
}

interface SampledList {
  readonly of: ResourceName | 'bucket';
  readonly bucketName: string;
  readonly caller: MemberRole;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly cell: () => DryRunCell;
  readonly isNarrowed: () => Promise<boolean>;
}

type Changed = Partial<Record<Verb, Rule | undefined>>;

/** Buckets whose rules are kept compared. */
const maxBuckets = 1_000;
const judgeListsEveryMs = 10_000;

export const bucketSubject = (name: string) => `bucket ${name}`;

export class DryRun {
  readonly #appId: string;
  readonly #now: AppRules;
  readonly rules: AppRules;
  readonly #meter: DryRunMeter;
  readonly #requests: Requests;
  /** Which rules differ, by resource or by bucket: needed in every request. */
  readonly #ofResources = new Map<string, Changed>();
  readonly #ofBuckets = new BoundedMap<string, Changed>(maxBuckets);
  /** By caller and name: needed in every list. */
  readonly #listsOfResources = new PairCache<CompiledQueries>(maxBuckets);
  readonly #listsOfBuckets = new PairCache<CompiledQueries>(maxBuckets);

  constructor(appId: string, rules: { readonly now: AppRules; readonly then: AppRules }, meter: DryRunMeter) {
    this.#appId = appId;
    this.#now = rules.now;
    this.rules = rules.then;
    this.#meter = meter;
    this.#requests = meter.requestsOf(appId);
  }

  /** The rule for one verb, if it is not the one that the app has. */
  changed(of: ResourceName | 'bucket', verb: Verb, bucketName = ''): Rule | undefined {
    const [known, name] = of === 'bucket' ? [this.#ofBuckets, bucketName] : [this.#ofResources, of];
    const changed = known.get(name);
    if (changed) return changed[verb];
    const [now, then] = [ruleOf(this.#now, of, bucketName), ruleOf(this.rules, of, bucketName)];
    const all: Changed = {};
    for (const one of verbs) all[one] = now.rules[one].text === then.rules[one].text ? undefined : then.rules[one];
    known.set(name, all);
    return all[verb];
  }

  /** Whether the rules would change the app at all. */
  get isOther(): boolean {
    const { buckets = {} } = this.rules.stored;
    const names = ['*', ...Object.keys(buckets), ...Object.keys(this.#now.stored.buckets ?? {})];
    const ofResources = Object.entries(ruledResources).flatMap(([name, { verbs }]) =>
      (Object.keys(verbs) as Verb[]).map((verb) => this.changed(name as ResourceName, verb)),
    );
    const ofBuckets = names.flatMap((name) =>
      (['list', 'get', 'create', 'update', 'delete'] as const).map((verb) => this.changed('bucket', verb, name)),
    );
    return [...ofResources, ...ofBuckets].some((rule) => rule !== undefined);
  }

  noteRequest(caller: MemberRole): void {
    if (this.#requests[caller]++ === 0) this.#meter.writeLater();
  }

  note(cell: DryRunCell, outcome: DryRunOutcome): void {
    this.#meter.note(this.#appId, cell, outcome);
  }

  /** Counts a list, and evaluates one from time to time. */
  sampleList({ of, bucketName, caller, now, cell, isNarrowed }: SampledList): void {
    const [known, name] = of === 'bucket' ? [this.#listsOfBuckets, bucketName] : [this.#listsOfResources, of];
    let lists = known.get(caller, name);
    if (!lists) {
      lists = this.#meter.listsOf(this.#appId, cell());
      known.set(caller, name, lists);
    }
    lists.unjudged++;
    if (Math.abs(now - lists.judgedAt) >= judgeListsEveryMs)
      this.#meter.judgeList(this.#appId, cell(), lists, isNarrowed);
  }
}

const ruleOf = (rules: AppRules, of: ResourceName | 'bucket', bucketName: string): ResourceRules =>
  of === 'bucket' ? rules.bucket(bucketName) : rules.of(of);

/** Whether a caller with these credentials gets past a rule's gate. */
export function passesGate(gate: Gate, user: RuleUser | undefined): boolean {
  if (gate === 'manager') return user?.role === 'manager';
  return gate === 'open' || (gate === 'user' && user !== undefined);
}

/** Whether the credentials alone decide who passes, so that no record has to be read. */
export const isDecidedAtGate = ({ word }: Rule) => word !== undefined && word !== 'owner';
