import {
  bindTemplate,
  type Field,
  type FieldLookup,
  isAlways,
  isNever,
  never,
  parseTemplate,
  QueryError,
  type Template,
  type VariableValues,
  type Where,
} from '@pharos/query';
import { randomText } from '../../base/id.ts';
import { callerVariables, type RuleUser, type StoredRule, type Word } from './rule-types.ts';

export interface RuleCaller {
  readonly user: RuleUser | undefined;
  /** Administrators use the console, where their role decides and not the app's rules. */
  readonly isAdministrator: boolean;
  /** A caller with a secret key passes like a manager: what it may do is in its scopes, which were checked before. */
  readonly secretKey: object | undefined;
}

/** The weakest credentials with which a rule can let anybody in; `open` is the app key alone. */
export type Gate = 'nobody' | 'manager' | 'user' | 'open';

/** What a rule allows a caller, as statements need it. */
export interface AskedRule {
  readonly where: Where;
  /** The rule for any user, if only the user's id differs. */
  readonly general?: GeneralRule;
}

interface GeneralRule {
  /** Tells such rules apart. */
  readonly key: number;
  readonly where: Where;
  /** The text that replaces the value in `where`. */
  readonly standIn: string;
  readonly value: string;
}

/** Only letters and digits, like an id, so that it is the same in JSON; no client can send it. */
const standIn = `user${randomText(32)}`;
let generalWheres = 0;

/**
 * One rule, ready to be evaluated. A where is parsed once for each table to which it applies, and its variables get their values
 * in each request.
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
  /** Whether the id is all in which the wheres of two users differ. */
  readonly #isGeneral: boolean;

  /** @param where what a where is, or what `owner` means for these records */
  constructor(stored: StoredRule, where: unknown) {
    this.stored = stored;
    this.word = typeof stored === 'string' ? stored : undefined;
    this.#where = where;
    this.text = JSON.stringify(stored === 'owner' ? [stored, where] : stored);
    // The number of venues is part of the statement's text. In a comparison with an id in the rule, the placeholder would decide for
    // everybody.
    this.#isGeneral = !this.text.includes('$auth.venues') && !this.text.includes('"$auth.userId":');
    this.gate = this.#gate();
  }

  /**
   * The records that the caller may access; undefined: all. A manager or a secret key may access all unless the rule is `nobody`, an
   * administrator always all.
   */
  bind(caller: RuleCaller, lookup: FieldLookup): Where | undefined {
    const decided = this.#byWord(caller);
    if (decided !== undefined) return decided === 'all' ? undefined : never;
    const where = bindTemplate(this.#template(lookup), valuesFor(caller.user));
    return isAlways(where) ? undefined : where;
  }

  /** Decides, with what lists need to be prepared once for all users. A user's where is not bound until it is read. */
  ask(caller: RuleCaller, lookup: FieldLookup): AskedRule | undefined {
    const decided = this.#byWord(caller);
    if (decided !== undefined) return decided === 'all' ? undefined : { where: never };
    const { user } = caller;
    if (!this.#isGeneral || user?.role !== 'user' || user.installationIds !== undefined) {
      const where = this.bind(caller, lookup);
      return where && { where };
    }
    const { key, where } = this.#general.get(lookup) ?? this.#generalize(lookup);
    if (isAlways(where)) return undefined;
    if (isNever(where)) return { where };
    return new AskedByUser({ key, where, standIn, value: user.userId }, () =>
      bindTemplate(this.#template(lookup), valuesFor(user)),
    );
  }

  /** What the caller's role and the rule's word decide before the records are looked at; undefined: nothing. */
  #byWord({ user, isAdministrator, secretKey }: RuleCaller): 'all' | 'none' | undefined {
    if (isAdministrator) return 'all';
    if (this.word === 'nobody') return 'none';
    if (secretKey || user?.role === 'manager' || this.word === 'app') return 'all';
    if (this.word === 'user') return user ? 'all' : 'none';
    return this.word === 'manager' ? 'none' : undefined;
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
    // Without signing in nobody finds anything, and the answer says so.
    return isNever(bindTemplate(parseOrNever(this.#where, anyField), {})) ? 'user' : 'open';
  }
}

/** Most requests need only the part that is the same for all users. */
class AskedByUser implements AskedRule {
  readonly general: GeneralRule;
  readonly #bind: () => Where;

  constructor(general: GeneralRule, bind: () => Where) {
    this.general = general;
    this.#bind = bind;
  }

  get where(): Where {
    return this.#bind();
  }
}

const someMember: Field = { from: 'member', column: '', path: [''] };
const anyField: FieldLookup = () => someMember;

/** The type of a member may have been declared since the rule was written, and not fit it: then it lets nobody in. */
function parseOrNever(where: unknown, lookup: FieldLookup): Template {
  try {
    return parseTemplate(where, lookup, callerVariables);
  } catch (error) {
    if (error instanceof QueryError) return never;
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
