import { type LegacyPolicy, presetRules, type ResourceName, type RuledResource, ruledResources } from './presets.ts';
import { Rule, type RuleCaller } from './rule.ts';
import {
  type MemberRole,
  type Preset,
  roleOf,
  type StoredAppRules,
  type StoredRule,
  type StoredRules,
  type Verb,
  verbs,
} from './rule-types.ts';

export interface ResourceRules {
  readonly rules: Readonly<Record<Verb, Rule>>;
  readonly owner: string;
  /** `owner` as a rule, whatever the verbs say: who may hand a record over. */
  readonly ownership: Rule;
  readonly unowned: 'user' | 'manager';
  /** What holds, or would hold, where the app itself says nothing. */
  readonly inherited: Readonly<Record<Verb, StoredRule>>;
  /** Verbs for which the app has its own rule. */
  readonly own: ReadonlySet<Verb>;
  /** The app has a preset other than that of the specification, or its own rules. */
  readonly isOwn: boolean;
  readonly members: NonNullable<StoredRules['members']>;
  readonly hasMembers: boolean;
  /** Members that the caller neither sees nor can filter by. */
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
  /** Whether a where refers to the caller's installations, which then have to be looked up. */
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
  const inherited = (verb: Verb): StoredRule => preset[verb] ?? 'nobody';
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
