import { canonicalJson, matches, ownMember, type ReadField, readPath } from '@pharos/query';
import type { Caller } from '../../../../access/caller.ts';
import { bucketSubject, isDecidedAtGate, passesGate } from '../../../../access/rules/dry-run.ts';
import type { AskedRule, Rule } from '../../../../access/rules/rule.ts';
import { roleOf, type Verb } from '../../../../access/rules/rule-types.ts';
import type { ResourceRules } from '../../../../access/rules/rules.ts';
import { type Failure, fail, type Problem } from '../../../../base/errors.ts';
import { sentence } from '../../../../http/shape.ts';
import { forbidden } from '../../../../resources/allowed.ts';
import type { HookRecord as Judged } from '../../../record-hooks.ts';
import type { Bucket } from '../definition/directory.ts';
import type { StoredRecord } from '../definition/record-store.ts';

/** The app's rules, asked about records of a bucket: in memory, since a record's document is at hand where it is written. */

export type Document = Readonly<Record<string, unknown>>;

export function judgedRow({ object_id, doc, created_by, created_at, updated_at }: StoredRecord): Judged {
  let parsed: Document | undefined;
  return {
    objectId: object_id,
    document: () => (parsed ??= JSON.parse(doc) as Document),
    createdBy: created_by,
    createdAt: created_at,
    updatedAt: updated_at,
  };
}

/** Fields as their columns keep them, and members of the document, which is parsed for them alone. */
function reader(record: Judged): ReadField {
  const { objectId, createdBy, createdAt, updatedAt } = record;
  const own: Readonly<Record<string, unknown>> = { objectId, createdBy, createdAt, updatedAt };
  return (_field, name) => (Object.hasOwn(own, name) ? own[name] : memberAt(record, name));
}

/** @param path of a member such as `metadata.a.b` */
function memberAt({ document }: Judged, path: string): unknown {
  return readPath(document(), path.split('.').slice(1));
}

/** One request's view of a bucket's rules. */
export class RecordRules {
  readonly #rules: ResourceRules;
  readonly #caller: Caller;
  readonly #name: string;

  constructor(caller: Caller, { name }: Pick<Bucket, 'name'>) {
    this.#name = name;
    this.#rules = caller.app.rules.bucket(name);
    this.#caller = caller;
  }

  /** Whether lists say whose the records are. It is a third of a short record, so only where the app asks for owners. */
  get showOwners(): boolean {
    return this.#rules.isOwn;
  }

  /** What the caller may list; undefined: all. */
  listed({ lookup }: Pick<Bucket, 'lookup'>) {
    return this.#rules.rules.list.ask(this.#caller, lookup);
  }

  /** What the caller may get; undefined: all. */
  gettable({ lookup }: Pick<Bucket, 'lookup'>) {
    return this.#rules.rules.get.ask(this.#caller, lookup);
  }

  may(verb: Verb, bucket: Pick<Bucket, 'lookup'>, record: Judged): boolean {
    return this.#allows(this.#rules.rules[verb], bucket, record);
  }

  /**
   * The rules of which at least one must allow a record for it to exist, without repetitions; undefined where one of them allows every
   * record.
   */
  there(verbs: readonly Verb[], { lookup }: Pick<Bucket, 'lookup'>): readonly AskedRule[] | undefined {
    const rules = new Map(verbs.map((verb) => [this.#rules.rules[verb].text, this.#rules.rules[verb]]));
    const asked = [...rules.values()].map((rule) => rule.ask(this.#caller, lookup));
    return asked.every((each) => each !== undefined) ? asked : undefined;
  }

  /** `noteDryRun` for a record that was read. Most are the caller's own or under no other rule, and are not looked at. */
  noteGet(bucket: Pick<Bucket, 'lookup'>, row: StoredRecord): void {
    const rule = this.#tried('get');
    if (rule && !this.#isOwn(rule, row.created_by)) this.noteDryRun('get', bucket, judgedRow(row));
  }

  /** Once a request that may do this: notes that the rules of a dry run would hide the record, or refuse a new one. */
  noteDryRun(verb: Verb, bucket: Pick<Bucket, 'lookup'>, record: Judged): void {
    const {
      app: { dryRun },
      user,
    } = this.#caller;
    const rule = this.#tried(verb);
    if (rule && this.#isOwn(rule, record.createdBy)) return;
    // Whom the gate keeps out is counted there.
    if (!dryRun || !rule || isDecidedAtGate(rule) || !passesGate(rule.gate, user) || this.#allows(rule, bucket, record))
      return;
    const outcome = verb === 'create' ? 'refused' : 'hidden';
    dryRun.note({ subject: bucketSubject(this.#name), verb, caller: roleOf(user) }, outcome);
  }

  /** Whether the caller may do this with every record, so that none has to be looked at. */
  mayAll(verb: Verb, { lookup }: Pick<Bucket, 'lookup'>): boolean {
    if (this.#rules.rules[verb].bind(this.#caller, lookup) !== undefined) return false;
    // A dry run may have to look into the record.
    const then = this.#caller.app.dryRun?.changed('bucket', verb, this.#name);
    return then === undefined || isDecidedAtGate(then) || this.#isByMaker(then);
  }

  /** Notes the deletion of an unread record that the dry run's rules, which ask only for its maker, would refuse. */
  noteDeleted(bucket: Pick<Bucket, 'lookup'>, createdBy: string | null): void {
    const unseen = { objectId: '', document: () => ({}), createdBy, createdAt: 0, updatedAt: 0 };
    this.noteDryRun('delete', bucket, unseen);
  }

  /** The dry run's rule, if it differs from the app's. */
  #tried(verb: Verb): Rule | undefined {
    const { app, isAdministrator, secretKey } = this.#caller;
    return isAdministrator || secretKey ? undefined : app.dryRun?.changed('bucket', verb, this.#name);
  }

  /** Whether the rule allows the record because the caller has made it. */
  #isOwn(rule: Rule, createdBy: string | null): boolean {
    const { user } = this.#caller;
    return rule.word === 'owner' && user?.userId === createdBy && this.#isByMaker(rule);
  }

  #isByMaker({ word }: Rule): boolean {
    return word === 'owner' && this.#caller.app.dryRun?.rules.bucket(this.#name).owner === 'createdBy';
  }

  /**
   * Whether a record is there for a caller who wants to change or delete it.
   *
   * @throws Failure OperationForbidden for what may be seen, but not changed
   */
  isThere(verb: 'update' | 'delete', bucket: Pick<Bucket, 'lookup'>, record: Judged): boolean {
    if (this.may(verb, bucket, record)) return true;
    if (!this.may('get', bucket, record)) return false;
    throw forbidden();
  }

  /** @throws Failure OperationForbidden, ValidationError for a member that the caller may not write */
  assertMayCreate(bucket: Pick<Bucket, 'lookup'>, record: Judged): void {
    const fixed = this.#fixed();
    if (fixed.size > 0) refuseAny([...fixed.keys()].filter((name) => Object.hasOwn(record.document(), name)));
    if (!this.may('create', bucket, record)) throw forbidden();
    this.noteDryRun('create', bucket, record);
  }

  /**
   * What a change makes of a record has to be allowed like the record was, so that nobody takes or gives away what is not
   * hers. Handing over is the owner's own right: it is judged by the record before the change.
   *
   * @throws Failure OperationForbidden
   */
  assertMayChange(bucket: Pick<Bucket, 'lookup'>, before: Judged, after: Judged): void {
    const { owner, ownership, rules } = this.#rules;
    const isHandedOver =
      before.createdBy !== after.createdBy ||
      (owner !== 'createdBy' && ownerOf(owner, before) !== ownerOf(owner, after));
    if (isHandedOver && !this.#allows(ownership, bucket, before)) throw forbidden();
    if (rules.update.word === undefined && !this.may('update', bucket, { ...after, createdBy: before.createdBy }))
      throw forbidden();
  }

  /**
   * The document that a change makes, with the members that the caller may not write as they were.
   *
   * @param sent the names of the members that the body gives
   * @throws Failure ValidationError when one of them is among those that were sent
   */
  keepFixed(before: Document, after: Document, sent: readonly string[]): Document {
    const fixed = this.#fixed();
    if (fixed.size === 0) return after;
    const isChanged = (name: string) => textOf(before, name) !== textOf(after, name);
    // Sending a hidden member as it is would tell that it is so.
    refuseAny(
      [...fixed]
        .filter(([name, isHidden]) => sent.includes(name) && (isHidden || isChanged(name)))
        .map(([name]) => name),
    );
    const free = Object.entries(after).filter(([name]) => !fixed.has(name));
    const kept = Object.entries(before).filter(([name]) => fixed.has(name));
    return Object.fromEntries([...free, ...kept]);
  }

  /** Checks the owner that a change names. @throws Failure ValidationError if the caller may not write it */
  assertMayName(before: string | null, next: string | null): void {
    if (!this.#rules.hasMembers) return;
    const isHidden = this.#rules.hiddenFrom(this.#caller).includes('createdBy');
    const isFixed = isHidden || this.#rules.fixedFor(this.#caller).includes('createdBy');
    // As with other members: what is hidden is refused even as it is.
    if (isHidden || (isFixed && before !== next)) throw cannotWrite(['createdBy']);
  }

  #allows(rule: Rule, { lookup }: Pick<Bucket, 'lookup'>, record: Judged): boolean {
    const where = rule.bind(this.#caller, lookup);
    return where === undefined || matches(where, reader(record));
  }

  /** Members of the document that the caller may not write, and whether they are hidden as well. */
  #fixed(): ReadonlyMap<string, boolean> {
    if (!this.#rules.hasMembers) return none;
    const hidden = this.#rules.hiddenFrom(this.#caller);
    const names = [...hidden, ...this.#rules.fixedFor(this.#caller)].filter((name) => name.startsWith(inDocument));
    return new Map(names.map((name) => [name.slice(inDocument.length), hidden.includes(name)]));
  }
}

const inDocument = 'metadata.';
const none: ReadonlyMap<string, boolean> = new Map();

const textOf = (document: Document, name: string) => {
  const value = ownMember(document, name);
  return value === undefined ? undefined : canonicalJson(value);
};

function ownerOf(owner: string, record: Judged): string {
  const value = memberAt(record, owner);
  return value === undefined ? 'null' : canonicalJson(value);
}

function refuseAny(names: readonly string[]): void {
  if (names.length > 0) throw cannotWrite(names.map((name) => inDocument + name));
}

function cannotWrite(fields: readonly string[]): Failure {
  const details: Problem[] = fields.map((field) => ({ field, problem: 'cannot be written by you' }));
  return fail('ValidationError', { message: sentence(details), details });
}
