import { isObject } from '@pharos/query';
import { bucketRecords, type ResourceName, type RuledResource, ruledResources } from './presets.ts';
import type { StoredRule, Verb } from './rule-types.ts';
import type { AppRules, ResourceRules } from './rules.ts';

/** Rules in plain English, for people who decide about them. */

const doing: Readonly<Record<Verb, string>> = {
  list: 'list',
  get: 'see',
  create: 'add',
  update: 'change',
  delete: 'delete',
  listen: 'hear at once what happens to',
};

/** `Signed-in people see the records that are theirs; managers see all.` */
export function ruleSentence(rule: StoredRule, verb: Verb, noun: string): string {
  const does = doing[verb];
  if (typeof rule !== 'string')
    return `People ${does} the ${noun} for which ${whereSentence(rule)}; managers ${does} all.`;
  switch (rule) {
    case 'nobody':
      return `Nobody ${verb === 'listen' ? 'hears at once what happens to' : `${does}s`} ${noun} through the app.`;
    case 'manager':
      return `Only managers ${does} ${noun}.`;
    case 'owner':
      return `Signed-in people ${does} the ${noun} that are theirs; managers ${does} all.`;
    case 'user':
      return `Everybody who is signed in may ${does} ${noun}.`;
    case 'app':
      return `Everybody with the app may ${does} ${noun}, without signing in.`;
  }
}

const variables: Readonly<Record<string, string>> = {
  '$auth.userId': 'the person',
  '$auth.role': "the person's role",
  '$auth.installationId': "the person's installation",
  '$auth.venues': "one of the person's venues",
};

/** `metadata.state is "public" and createdBy is the person` */
function whereSentence(where: Readonly<Record<string, unknown>>): string {
  const parts = Object.entries(where).map(([name, value]) => partSentence(name, value));
  return parts.join(' and ');
}

const joins: Readonly<Record<string, readonly [join: string, before: string]>> = {
  $or: [' or ', ''],
  $and: [' and ', ''],
  $nor: [' or ', 'it is not so that '],
};

function partSentence(name: string, value: unknown): string {
  const group = joins[name];
  if (group && Array.isArray(value)) return `${group[1]}(${value.filter(isObject).map(whereSentence).join(group[0])})`;
  const subject = variables[name] ?? name;
  if (!isObject(value) || !Object.keys(value).some((key) => key.startsWith('$')))
    return `${subject} is ${shown(value)}`;
  const said = Object.entries(value).map(([operator, operand]) => `${subject} ${operatorSentence(operator, operand)}`);
  return said.join(' and ');
}

function operatorSentence(operator: string, operand: unknown): string {
  switch (operator) {
    case '$exists':
      return operand === true ? 'is there' : 'is missing';
    case '$in':
      return `is one of ${shown(operand)}`;
    case '$nin':
      return `is none of ${shown(operand)}`;
    case '$all':
      return `has all of ${shown(operand)}`;
    default:
      return `${compared[operator] ?? operator} ${shown(operand)}`;
  }
}

const compared: Readonly<Record<string, string>> = {
  $eq: 'is',
  $ne: 'is not',
  $lt: 'is less than',
  $lte: 'is at most',
  $gt: 'is more than',
  $gte: 'is at least',
  $regex: 'matches',
  $options: 'with the options',
};

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ');
  return (typeof value === 'string' ? variables[value] : undefined) ?? JSON.stringify(value);
}

function describe(resource: RuledResource, compiled: ResourceRules) {
  const rules = Object.entries(resource.verbs).map(([name, words]) => {
    const verb = name as Verb;
    const { stored } = compiled.rules[verb];
    const sentence = ruleSentence(stored, verb, resource.noun);
    const described = {
      rule: stored,
      isOwn: compiled.own.has(verb),
      inherited: compiled.inherited[verb],
      sentence,
      words,
      sentences: Object.fromEntries(words.map((word) => [word, ruleSentence(word, verb, resource.noun)])),
      takesWhere: resource.wheres.includes(verb),
    };
    return [verb, described] as const;
  });
  return {
    noun: resource.noun,
    rules: Object.fromEntries(rules),
    owner: compiled.owner,
    ...(resource.hasUnowned ? { unowned: compiled.unowned } : {}),
    members: compiled.members,
  };
}

export function describeRules(rules: AppRules, bucketNames: readonly string[]) {
  const names = Object.keys(ruledResources) as ResourceName[];
  return {
    resources: Object.fromEntries(names.map((name) => [name, describe(ruledResources[name], rules.of(name))])),
    buckets: Object.fromEntries(bucketNames.map((name) => [name, describe(bucketRecords, rules.bucket(name))])),
  };
}
