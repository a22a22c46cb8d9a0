import { type FieldLookup, findField, isObject, parseTemplate, QueryError } from '@pharos/query';
import { fail, type Problem } from '../../base/errors.ts';
import { bucketRecords, type ResourceName, type RuledResource, ruledResources } from './presets.ts';
import {
  callerVariables,
  memberRoles,
  presets,
  type StoredAppRules,
  type StoredRules,
  type Verb,
  verbs,
} from './rule-types.ts';

/** What rules can refer to: the fields of each resource, and of buckets whatever their schemas declare. */
export interface RuledFields {
  readonly of: (name: ResourceName) => FieldLookup;
  readonly bucket: FieldLookup;
}

const bucketName = /^[A-Za-z][A-Za-z0-9_]{0,29}$/;
const maxBuckets = 500;
const maxMembers = 50;
/** Characters of all rules of an app as JSON: they are kept in memory. */
const maxCharacters = 100_000;
/** Records are found, ordered and changed by these. */
const alwaysShown: ReadonlySet<string> = new Set(['objectId', 'createdAt', 'updatedAt']);

/**
 * Reads rules as a person or a file gives them.
 *
 * @throws Failure ValidationError that names everything that is wrong
 */
export function readRules(given: unknown, fields: RuledFields): StoredAppRules {
  const problems: Problem[] = [];
  const complain = (field: string, problem: string) => void problems.push({ field, problem });
  const check: Check = { fields, complain };
  const body = isObject(given) ? given : {};
  if (!isObject(given)) complain('', 'must be a JSON object');
  if (isObject(given) && JSON.stringify(given).length > maxCharacters)
    complain('', `must have at most ${maxCharacters} characters as JSON`);
  for (const name of Object.keys(body))
    if (!['preset', 'resources', 'buckets'].includes(name))
      complain(name, 'is not known; rules have preset, resources and buckets');
  const { preset, resources = {}, buckets = {} } = body;
  if (preset !== undefined && !(presets as readonly unknown[]).includes(preset))
    complain('preset', `must be one of ${presets.join(', ')}`);
  for (const [name, rules] of entriesOf(resources, 'resources', complain)) {
    const at = `resources.${name}`;
    if (!Object.hasOwn(ruledResources, name))
      complain(at, `is not known; there are ${Object.keys(ruledResources).join(', ')}`);
    else checkRules(check, at, rules, { ...subjectOf(name as ResourceName, fields) });
  }
  const named = entriesOf(buckets, 'buckets', complain);
  if (named.length > maxBuckets) complain('buckets', `must have at most ${maxBuckets} members`);
  for (const [name, rules] of named) {
    const at = `buckets.${name}`;
    if (name !== '*' && !bucketName.test(name)) complain(at, 'is not the name of a bucket, and not *');
    else checkRules(check, at, rules, { resource: bucketRecords, lookup: fields.bucket, isBucket: true });
  }
  if (problems.length > 0) {
    const [first] = problems;
    throw fail('ValidationError', {
      message: `${first?.field} ${first?.problem}.`.trim(),
      details: problems.slice(0, 50),
    });
  }
  return given as StoredAppRules;
}

interface Check {
  readonly fields: RuledFields;
  readonly complain: (field: string, problem: string) => void;
}

interface Subject {
  readonly resource: RuledResource;
  readonly lookup: FieldLookup;
  readonly isBucket: boolean;
}

const subjectOf = (name: ResourceName, fields: RuledFields): Subject => ({
  resource: ruledResources[name],
  lookup: fields.of(name),
  isBucket: false,
});

function entriesOf(value: unknown, at: string, complain: Check['complain']): [string, unknown][] {
  if (isObject(value)) return Object.entries(value);
  complain(at, 'must be a JSON object');
  return [];
}

function checkRules(check: Check, at: string, rules: unknown, subject: Subject): void {
  const { complain } = check;
  const { resource, isBucket } = subject;
  for (const [name, value] of entriesOf(rules, at, complain)) {
    const field = `${at}.${name}`;
    if ((verbs as readonly string[]).includes(name)) checkRule(check, field, name as Verb, { value, subject });
    else if (name === 'owner' && isBucket) checkOwner(check, field, value);
    else if (name === 'unowned' && resource.hasUnowned) {
      if (value !== 'user' && value !== 'manager') complain(field, 'must be one of user, manager');
    } else if (name === 'members') checkMembers(check, field, value, subject);
    else complain(field, `is not known here; ${at} takes ${knownIn(subject).join(', ')}`);
  }
}

function knownIn({ resource, isBucket }: Subject): readonly string[] {
  const more = [...(isBucket ? ['owner'] : []), ...(resource.hasUnowned ? ['unowned'] : []), 'members'];
  return [...Object.keys(resource.verbs), ...more];
}

function checkRule(
  { complain }: Check,
  at: string,
  verb: Verb,
  { value, subject: { resource, lookup } }: { readonly value: unknown; readonly subject: Subject },
): void {
  const possible = resource.verbs[verb];
  if (!possible) {
    complain(at, `is not known here; ${resource.noun} have ${Object.keys(resource.verbs).join(', ')}`);
    return;
  }
  const takesWhere = resource.wheres.includes(verb);
  const expected = `must be one of ${possible.join(', ')}${takesWhere ? ', or a where' : ''}`;
  if (typeof value === 'string') {
    if (!(possible as readonly string[]).includes(value)) complain(at, expected);
    return;
  }
  const reason = isObject(value) ? resource.noWhere : undefined;
  if (reason !== undefined) complain(at, `must be one of ${possible.join(', ')}, and no where: ${reason}`);
  else if (!takesWhere || !isObject(value)) complain(at, expected);
  else if (Object.keys(value).length === 0) complain(at, 'is an empty where, which would let everyone in: say app');
  else checkWhere(complain, at, value, lookup);
}

function checkWhere(complain: Check['complain'], at: string, value: object, lookup: FieldLookup): void {
  try {
    parseTemplate(value, lookup, callerVariables);
  } catch (error) {
    if (!(error instanceof QueryError)) throw error;
    for (const { field, problem } of error.details) complain(`${at}.${field}`, problem);
  }
}

function checkOwner({ fields, complain }: Check, at: string, value: unknown): void {
  const isMember = typeof value === 'string' && findField(fields.bucket, value) !== undefined;
  if (!isMember || (value !== 'createdBy' && !value.startsWith('metadata.')))
    complain(at, 'must be createdBy or the name of a member such as metadata.assignee');
}

function checkMembers({ complain }: Check, at: string, value: unknown, { lookup, isBucket }: Subject): void {
  const members = entriesOf(value, at, complain);
  if (members.length > maxMembers) complain(at, `must have at most ${maxMembers} members`);
  for (const [name, member] of members) {
    const field = `${at}.${name}`;
    const isTop = isBucket ? name === 'createdBy' || /^metadata\.[^.]+$/.test(name) : !name.includes('.');
    if (!isTop || findField(lookup, name) === undefined || alwaysShown.has(name))
      complain(
        field,
        isBucket ? 'is not a member of the document, such as metadata.email' : 'is not a member that rules can hide',
      );
    for (const [which, roles] of entriesOf(member, field, complain)) {
      const isList = Array.isArray(roles) && roles.every((role) => (memberRoles as readonly unknown[]).includes(role));
      if (which !== 'hidden' && which !== 'readOnly')
        complain(`${field}.${which}`, 'is not known; a member takes hidden and readOnly');
      else if (!isList) complain(`${field}.${which}`, `must be a list of ${memberRoles.join(', ')}`);
    }
  }
}

/** Rules without what has no effect: empty parts, and the default preset. */
export function tidied({ preset, resources = {}, buckets = {} }: StoredAppRules): StoredAppRules {
  const filled = (parts: Readonly<Record<string, StoredRules>>) =>
    Object.fromEntries(Object.entries(parts).filter(([, rules]) => Object.keys(rules).length > 0));
  const [own, ofBuckets] = [filled(resources), filled(buckets)];
  return {
    ...(preset === undefined ? {} : { preset }),
    ...(Object.keys(own).length > 0 ? { resources: own } : {}),
    ...(Object.keys(ofBuckets).length > 0 ? { buckets: ofBuckets } : {}),
  };
}
