/** What can be done with records. `listen`: to get their events in the stream. */
export const verbs = ['list', 'get', 'create', 'update', 'delete', 'listen'] as const;
export type Verb = (typeof verbs)[number];

/** From nobody to everybody. `owner`: the signed-in user to whom the record belongs. `app`: everyone with the app key. */
export const words = ['nobody', 'manager', 'owner', 'user', 'app'] as const;
export type Word = (typeof words)[number];

/** A word, or a where on the record: it allows the records that it matches, to any caller. */
export type StoredRule = Word | Readonly<Record<string, unknown>>;

/** Who may not see or change a member. `app` is a caller who has not signed in. */
export const memberRoles = ['app', 'user', 'manager'] as const;
export type MemberRole = (typeof memberRoles)[number];

interface StoredMember {
  /** Who neither sees it nor can filter by it. */
  readonly hidden?: readonly MemberRole[];
  /** Who cannot write it. */
  readonly readOnly?: readonly MemberRole[];
}

/** The rules for the records of one resource or one bucket. What is left out follows the preset. */
export interface StoredRules extends Partial<Readonly<Record<Verb, StoredRule>>> {
  /** The member of a bucket's record that names its owner, or its owners as a list; `createdBy` without it. */
  readonly owner?: string;
  /** Who may change and delete records without an owner, where the rule says `owner`. */
  readonly unowned?: 'user' | 'manager';
  readonly members?: Readonly<Record<string, StoredMember>>;
}

export const presets = ['specification', 'visitors'] as const;
export type Preset = (typeof presets)[number];

/** The rules of an app as its row keeps them: `{}` is the preset of the specification and nothing else. */
export interface StoredAppRules {
  readonly preset?: Preset;
  readonly resources?: Readonly<Record<string, StoredRules>>;
  /** By name; `*` for those without rules of their own. */
  readonly buckets?: Readonly<Record<string, StoredRules>>;
}

/** What a where may know of the caller. */
export const callerVariables: ReadonlySet<string> = new Set([
  '$auth.userId',
  '$auth.role',
  '$auth.installationId',
  '$auth.venues',
]);

/** What rules can refer to of a signed-in user. */
export interface RuleUser {
  readonly userId: string;
  readonly role: 'user' | 'manager';
  /** The installations that are proven to be theirs; undefined where no rule of the app asks. */
  readonly installationIds?: readonly string[];
  /** The venues that managers have given them; none without. */
  readonly venueIds?: readonly string[] | undefined;
}

/** Whether rules say the same about both. */
export const sameToRules = (one: RuleUser | undefined, other: RuleUser | undefined) =>
  one?.role === other?.role &&
  JSON.stringify(one?.venueIds ?? []) === JSON.stringify(other?.venueIds ?? []) &&
  JSON.stringify(one?.installationIds?.toSorted()) === JSON.stringify(other?.installationIds?.toSorted());

export const roleOf = (user: RuleUser | undefined): MemberRole => user?.role ?? 'app';
