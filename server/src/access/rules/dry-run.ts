import { type ResourceName, ruledResources } from './presets.ts';
import type { MemberRole, RuleUser, Verb } from './rule-types.ts';
import type { AppRules, Gate, ResourceRules, Rule } from './rules.ts';

/** Rules that an app does not have: requests are answered without them, and what they would have refused is counted. */

/** One cell of the rules and one kind of caller. */
export interface DryRunCell {
  /** A resource, or `bucket` and its name. */
  readonly subject: string;
  readonly verb: Verb;
  readonly caller: MemberRole;
}

/** `hidden`: a record would not have been there, or a list would have been shorter. */
export type DryRunOutcome = 'refused' | 'hidden';

/** Counts in memory, and writes the counts now and then. */
export interface DryRunMeter {
  noteRequest(appId: string, caller: MemberRole): void;
  note(appId: string, cell: DryRunCell, outcome: DryRunOutcome): void;
  /** Judges one list now and then, in the background, for all lists of the cell since the last one. */
  sampleList(appId: string, cell: DryRunCell, isNarrowed: () => Promise<boolean>): void;
}

export const bucketSubject = (name: string) => `bucket ${name}`;

export class DryRun {
  readonly #appId: string;
  readonly #now: AppRules;
  /** The rules in question. */
  readonly rules: AppRules;
  readonly meter: DryRunMeter;

  constructor(appId: string, rules: { readonly now: AppRules; readonly then: AppRules }, meter: DryRunMeter) {
    this.#appId = appId;
    this.#now = rules.now;
    this.rules = rules.then;
    this.meter = meter;
  }

  /** The rule for one verb, if it is not the one that the app has. */
  changed(of: ResourceName | 'bucket', verb: Verb, bucketName = ''): Rule | undefined {
    const [now, then] = [this.#now, this.rules].map((rules) => ruleOf(rules, of, bucketName).rules[verb]);
    return now?.text === then?.text ? undefined : then;
  }

  /** Whether the app would be another one at all. */
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
    this.meter.noteRequest(this.#appId, caller);
  }

  note(cell: DryRunCell, outcome: DryRunOutcome): void {
    this.meter.note(this.#appId, cell, outcome);
  }

  sampleList(cell: DryRunCell, isNarrowed: () => Promise<boolean>): void {
    this.meter.sampleList(this.#appId, cell, isNarrowed);
  }
}

const ruleOf = (rules: AppRules, of: ResourceName | 'bucket', bucketName: string): ResourceRules =>
  of === 'bucket' ? rules.bucket(bucketName) : rules.of(of);

/** Whether a caller with these credentials gets past a rule's gate. */
export function passesGate(gate: Gate, user: RuleUser | undefined): boolean {
  if (gate === 'manager') return user?.role === 'manager';
  return gate === 'open' || (gate === 'user' && user !== undefined);
}

/** Whether a rule says of a word's credentials alone who passes, so that no record has to be looked at. */
export const isDecidedAtGate = ({ word }: Rule) => word !== undefined && word !== 'owner';
