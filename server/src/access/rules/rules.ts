import { Failure } from '../../base/errors.ts';
import { randomText } from '../../base/id.ts';
import type { Template, Where } from '../../query/ast.ts';
import type { Field, FieldLookup } from '../../query/fields.ts';
import { parseTemplate } from '../../query/parse.ts';
import { bindTemplate, isAlways, isNever, never, type VariableValues } from '../../query/template/template.ts';
import { type LegacyPolicy, presetRules, type ResourceName, type RuledResource, ruledResources } from './presets.ts';
import {
  callerVariables,
  type MemberRole,
  type Preset,
  type RuleUser,
  roleOf,
  type StoredAppRules,
  type StoredRule,
  type StoredRules,
  type Verb,
  verbs,
  type Word,
} from './rule-types.ts';

/** Who a rule is asked for. */
export interface RuleCaller {
  readonly user: RuleUser | undefined;
  /** Administrators use the console, where their role decides and not the app's rules. */
  readonly isAdministrator: boolean;
  /** A caller with a secret key passes like a manager: what it may do is in its scopes, which were asked before. */
  readonly secretKey: object | undefined;
}

/** The weakest credentials with which a rule can let anybody in; `open` is the app key alone. */
export type Gate = 'nobody' | 'manager' | 'user' | 'open';

/** What a rule leaves to a caller, as lists ask for it. */
export interface AskedRule {
  readonly where: Where;
  readonly general?: {
    readonly key: number;
    readonly where: Where;
    /** A text that stands for the value in `where`. */
    readonly standIn: string;
    readonly value: string;
  };
}

/** Of letters and digits alone, like an id, so that it is the same in JSON; nobody can send it. */
const standIn = `user${randomText(32)}`;
let generalWheres = 0;

/**
 * One rule, ready to be asked. A where is parsed once for each table that it is asked about, and its variables get their
 * values in each request.
 */
export class Rule {
  readonly stored: StoredRule;
  /** Undefined for a where. */
  readonly word: Word | undefined;
  readonly gate: Gate;
  /** Equal texts are equal rules. */
  readonly text: string;
  readonly #where: unknown;
  readonly #templates = new WeakMap<FieldLookup, Template>();
  readonly #general = new WeakMap<FieldLookup, { readonly key: number; readonly where: Where }>();

  /** @param where what a where is, or what `owner` means for these records */
  constructor(stored: StoredRule, where: unknown) {
    this.stored = stored;
    this.word = typeof stored === 'string' ? stored : undefined;
    this.#where = where;
    this.text = JSON.stringify(stored === 'owner' ? [stored, where] : stored);
    this.gate = this.#gate();
  }

  /**
   * Which records the caller may deal with; undefined: all. A manager or a secret key may deal with all unless it is
   * nobody, an administrator with all.
   */
  bind({ user, isAdministrator, secretKey }: RuleCaller, lookup: FieldLookup): Where | undefined {
    if (isAdministrator) return undefined;
    if (this.word === 'nobody') return never;
    if (secretKey || user?.role === 'manager' || this.word === 'app') return undefined;
    if (this.word === 'user') return user ? undefined : never;
    if (this.word === 'manager') return never;
    const where = bindTemplate(this.#template(lookup), valuesFor(user));
    return isAlways(where) ? undefined : where;
  }

  /**
   * The same, with what a list needs to put it into SQL once for all users: the where with a stand-in for the user's id,
   * and a key that tells such wheres apart. Undefined: all records.
   */
  ask(caller: RuleCaller, lookup: FieldLookup): AskedRule | undefined {
    const where = this.bind(caller, lookup);
    if (where === undefined) return undefined;
    const { user } = caller;
    if (user?.role !== 'user' || user.installationIds !== undefined || isNever(where)) return { where };
    // How many there are is in the text of the statement.
    if (this.text.includes('$auth.venues')) return { where };
    const known = this.#general.get(lookup) ?? this.#generalize(lookup);
    return { where, general: { ...known, standIn, value: user.userId } };
  }

  #generalize(lookup: FieldLookup): { readonly key: number; readonly where: Where } {
    const values = { '$auth.userId': standIn, '$auth.role': 'user' } as const;
    const general = { key: generalWheres++, where: bindTemplate(this.#template(lookup), values) };
    this.#general.set(lookup, general);
    return general;
  }

  #template(lookup: FieldLookup): Template {
    const known = this.#templates.get(lookup);
    if (known) return known;
    const template = parseOrNever(this.#where, lookup);
    this.#templates.set(lookup, template);
    return template;
  }

  #gate(): Gate {
    switch (this.word) {
      case 'nobody':
      case 'manager':
        return this.word;
      case 'owner':
      case 'user':
        return 'user';
      case 'app':
        return 'open';
    }
    // Nobody finds anything without signing in, and is told so.
    return isNever(bindTemplate(parseOrNever(this.#where, anyField), {})) ? 'user' : 'open';
  }
}

const someMember: Field = { from: 'member', column: '', path: [''] };
const anyField: FieldLookup = () => someMember;

/** The type of a member may have been declared since the rule was written, and not fit it: then it lets nobody in. */
function parseOrNever(where: unknown, lookup: FieldLookup): Template {
  try {
    return parseTemplate(where, lookup, callerVariables);
  } catch (error) {
    if (error instanceof Failure) return never;
    throw error;
  }
}

const nobodyKnown: VariableValues = Object.freeze({});

function valuesFor(user: RuleUser | undefined): VariableValues {
  if (!user) return nobodyKnown;
  const { userId, role, installationIds, venueIds = [] } = user;
  return {
    '$auth.userId': userId,
    '$auth.role': role,
    '$auth.installationId': installationIds,
    '$auth.venues': venueIds,
  };
}

/** The rules for the records of one resource or bucket. */
export interface ResourceRules {
  readonly rules: Readonly<Record<Verb, Rule>>;
  /** The member that names the owner. */
  readonly owner: string;
  /** `owner` as a rule, whatever the verbs say: who may hand a record over. */
  readonly ownership: Rule;
  readonly unowned: 'user' | 'manager';
  /** What holds, or would hold, where the app itself says nothing. */
  readonly inherited: Readonly<Record<Verb, StoredRule>>;
  /** Verbs about which the app itself says something. */
  readonly own: ReadonlySet<Verb>;
  /** The app has a preset other than that of the specification, or says something itself. */
  readonly isOwn: boolean;
  readonly members: NonNullable<StoredRules['members']>;
  readonly hasMembers: boolean;
  /** Members that the caller neither sees nor can ask by. */
  hiddenFrom(caller: RuleCaller): readonly string[];
  /** Members that the caller cannot write. */
  fixedFor(caller: RuleCaller): readonly string[];
}

/** All rules of an app, compiled when the app is loaded. */
export interface AppRules {
  readonly preset: Preset;
  readonly stored: StoredAppRules;
  /** Equal texts are equal rules. */
  readonly text: string;
  /** Whether a where speaks of the caller's installations, which have to be looked up then. */
  readonly asksForInstallations: boolean;
  of(resource: ResourceName): ResourceRules;
  bucket(name: string): ResourceRules;
}

const nobody: readonly string[] = Object.freeze([]);

const ownedBy = (owner: string) => ({ [owner]: '$auth.userId' });
/** Or nobody's: what was made in the console is not. */
const ownedOrFree = (owner: string, hasConsoleMark: boolean) => ({
  $or: [
    ownedBy(owner),
    { [owner]: null, '$auth.userId': { $exists: true }, ...(hasConsoleMark ? { byAdmin: false } : {}) },
  ],
});

interface Compiling {
  readonly preset: StoredRules;
  readonly stored: StoredRules;
  readonly defaultOwner: string;
  readonly isBucket: boolean;
  readonly isOwn: boolean;
}

function compile({ preset, stored, defaultOwner, isBucket, isOwn }: Compiling): ResourceRules {
  const { unowned = 'manager', owner = defaultOwner, members = {} } = { ...preset, ...stored };
  const inherited = (verb: Verb): StoredRule =>
    preset[verb] ?? (verb === 'listen' ? (stored.get ?? preset.get) : undefined) ?? 'nobody';
  const rule = (verb: Verb) => {
    const given = stored[verb] ?? inherited(verb);
    if (typeof given !== 'string') return new Rule(given, given);
    const isFree = unowned === 'user' && (verb === 'update' || verb === 'delete');
    return new Rule(given, isFree ? ownedOrFree(owner, !isBucket) : ownedBy(owner));
  };
  const named = Object.entries(members);
  const of = (which: 'hidden' | 'readOnly') => {
    const byRole = (role: MemberRole) =>
      named.filter(([, member]) => member[which]?.includes(role)).map(([name]) => name);
    return { app: byRole('app'), user: byRole('user'), manager: byRole('manager') };
  };
  const [hidden, readOnly] = [of('hidden'), of('readOnly')];
  const forCaller = (byRole: Readonly<Record<MemberRole, readonly string[]>>) => (caller: RuleCaller) =>
    caller.isAdministrator ? nobody : byRole[caller.secretKey ? 'manager' : roleOf(caller.user)];
  return Object.freeze({
    rules: Object.freeze(Object.fromEntries(verbs.map((verb) => [verb, rule(verb)])) as Record<Verb, Rule>),
    owner,
    unowned,
    isOwn,
    inherited: Object.freeze(
      Object.fromEntries(verbs.map((verb) => [verb, inherited(verb)])) as Record<Verb, StoredRule>,
    ),
    own: new Set(verbs.filter((verb) => stored[verb] !== undefined)),
    members,
    ownership: new Rule('owner', unowned === 'user' ? ownedOrFree(owner, !isBucket) : ownedBy(owner)),
    hasMembers: named.length > 0,
    hiddenFrom: forCaller(hidden),
    fixedFor: forCaller(readOnly),
  });
}

/** @param stored what `StoredAppRules` says, checked when it was written */
export function compileRules(stored: StoredAppRules, policy: LegacyPolicy): AppRules {
  const { preset = 'specification', resources = {}, buckets = {} } = stored;
  const defaults = presetRules(preset, policy);
  const compiled = new Map<string, ResourceRules>();
  const keep = (key: string, make: () => ResourceRules) => {
    const known = compiled.get(key) ?? make();
    compiled.set(key, known);
    return known;
  };
  const ownerOf = (name: ResourceName): string => {
    const resource: RuledResource = ruledResources[name];
    return resource.owner ?? 'createdBy';
  };
  // Buckets without rules of their own share one entry, so that memory does not grow with names that clients invent.
  const hasPreset = preset !== 'specification';
  const everyBucket = buckets['*'];
  const ofBucket = { defaultOwner: 'createdBy', isBucket: true } as const;
  const isOwn = hasPreset || everyBucket !== undefined;
  const others = compile({ ...ofBucket, preset: defaults.bucket, stored: everyBucket ?? {}, isOwn });
  return Object.freeze({
    preset,
    stored,
    text: JSON.stringify([stored, defaults]),
    asksForInstallations: JSON.stringify(stored).includes('$auth.installationId'),
    of: (name: ResourceName) =>
      keep(name, () => {
        const given = resources[name];
        const isOwn = hasPreset || given !== undefined;
        const defaultOwner = ownerOf(name);
        return compile({ preset: defaults[name], stored: given ?? {}, defaultOwner, isBucket: false, isOwn });
      }),
    bucket: (name: string) => {
      const own = Object.hasOwn(buckets, name) && name !== '*' ? buckets[name] : undefined;
      if (!own) return others;
      const preset = { ...defaults.bucket, ...everyBucket };
      return keep(`bucket ${name}`, () => compile({ ...ofBucket, preset, stored: own, isOwn: true }));
    },
  });
}
