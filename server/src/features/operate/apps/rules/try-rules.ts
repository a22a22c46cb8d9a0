import { Readable } from 'node:stream';
import { type Caller, knowInstallations } from '../../../../access/caller.ts';
import type { AppContext } from '../../../../access/context.ts';
import {
  bucketRecords,
  type ResourceName,
  type RuledResource,
  ruledResources,
} from '../../../../access/rules/presets.ts';
import type { RuleUser, Verb } from '../../../../access/rules/rule-types.ts';
import { ruleSentence } from '../../../../access/rules/sentences.ts';
import { type Failure, fail, failureOf } from '../../../../base/errors.ts';
import { type Call, type Endpoint, JsonText } from '../../../../http/endpoint.ts';
import { assertGranted, grantOf, isOpen, rulesFor } from '../../../../http/grants.ts';
import type { Context } from '../../../context.ts';
import type { TriedVerb } from './rules-schemas.ts';

/**
 * What an app's rules would answer to somebody, determined by the endpoints themselves: their grants decide who may call, and
 * what they locate and list decides for which records. Nothing is changed.
 */

export interface TryDeps extends Pick<Context, 'endpoints' | 'findHeld'> {
  /** The path parameters above a record, such as a scenario's storyline, beside its own id. */
  readonly findParents: (name: ResourceName, appId: string, objectId: string) => Promise<Params | undefined>;
}

type Params = Readonly<Record<string, string>>;

export interface TryQuestion {
  /** With the rules that are tried. */
  readonly app: AppContext;
  /** Undefined: the app key alone. */
  readonly user: RuleUser | undefined;
  readonly of: ResourceName | 'bucket';
  readonly bucket?: string;
  /** The record in question; without it, all of them. */
  readonly objectId?: string;
  readonly now: number;
}

export type Tried = Readonly<Partial<Record<Verb, TriedVerb>>>;

/** @throws Failure ObjectNotFound for a bucket or a record that there is not */
export async function tryRules(deps: TryDeps, question: TryQuestion): Promise<Tried> {
  const { app, of } = question;
  const user =
    question.user && app.rules.asksForInstallations
      ? await knowInstallations(app.appId, question.user, deps.findHeld)
      : question.user;
  const resource: RuledResource = of === 'bucket' ? bucketRecords : ruledResources[of];
  const { objectId, ...ofAll } = { ...question, user };
  // Where rules are words alone, one record is like the other.
  const asked: TryQuestion = objectId === undefined || resource.wheres.length === 0 ? ofAll : { ...ofAll, objectId };
  if (asked.objectId !== undefined && app.pseudonyms && of !== 'bucket' && !('owner' in ruledResources[of]))
    throw fail(
      'OperationForbidden',
      'Phones have pseudonyms in this app: whose record of a phone this is cannot be found out. Try the rules without a record.',
    );
  if (asked.objectId !== undefined) await assertRecord(deps, asked);
  const verbs = Object.keys(resource.verbs) as Verb[];
  const answers = verbs.map(async (verb) => {
    const { stored } = rulesFor({ of, verb }, app.rules, { bucketName: asked.bucket }).rules[verb];
    return [
      verb,
      { ...(await judge(deps, asked, verb)), sentence: ruleSentence(stored, verb, resource.noun) },
    ] as const;
  });
  return Object.fromEntries(await Promise.all(answers));
}

type Judged = Omit<TriedVerb, 'sentence'>;

async function judge(deps: TryDeps, question: TryQuestion, verb: Verb): Promise<Judged> {
  return verb === 'listen' ? judgeListening(deps, question) : judgeVerb(deps, question, verb);
}

/** A record's events are sent to those who may listen for them and may read it. */
async function judgeListening(deps: TryDeps, question: TryQuestion): Promise<Judged> {
  if (!question.user) return signInFirst;
  const listening = await judgeVerb(deps, question, 'listen');
  if (listening.outcome === 'refused') return { outcome: 'refused', reason: listening.reason };
  const { of } = question;
  const reading = await judgeVerb(
    deps,
    question,
    of !== 'bucket' && 'get' in ruledResources[of].verbs ? 'get' : 'list',
  );
  if (reading.outcome === 'refused') return { outcome: 'refused', reason: 'They may not read what it would be about.' };
  if (listening.outcome === 'some' || reading.outcome === 'allowed') return listening;
  return { outcome: 'some', reason: 'Only about records that they may read.' };
}

async function judgeVerb(deps: TryDeps, question: TryQuestion, verb: Verb): Promise<Judged> {
  const { app, user, of, bucket, objectId } = question;
  const found = endpointFor(deps, question, verb);
  const grant = grantOf({ grant: found?.endpoint.grant ?? { of, verb } }, app.rules, { bucketName: bucket });
  const rule = rulesFor({ of, verb }, app.rules, { bucketName: bucket }).rules[verb];
  if (!user && !isOpen(grant)) return signInFirst;
  try {
    assertGranted(grant, user);
  } catch (error) {
    const reason = grant === 'nobody' ? 'Nobody passes this rule.' : 'This user is not a manager.';
    return { outcome: 'refused', status: statusOf(error), reason };
  }
  // An endpoint that everyone with the app key may call does not read the bearer.
  const caller: Caller = {
    app,
    user: grant === 'app' ? undefined : user,
    isAdministrator: false,
    secretKey: undefined,
  };
  if (rule.word === 'app') return { outcome: 'allowed', reason: 'Everyone with the app passes this rule.' };
  if (caller.user?.role === 'manager') return { outcome: 'allowed', reason: 'Managers pass every rule but “Nobody”.' };
  if (rule.word === 'user') return { outcome: 'allowed', reason: 'Every signed-in user passes this rule.' };
  if (verb === 'create' && rule.word === 'owner' && isByMaker(question))
    return { outcome: 'allowed', reason: 'What they add is theirs.' };
  const isOfRecord = objectId !== undefined && found !== undefined && verb !== 'create' && verb !== 'listen';
  if (!isOfRecord) return { outcome: 'some', reason: someReason(verb, rule.word === 'owner') };
  return verb === 'list'
    ? judgeList(found, { caller, question })
    : judgeRecord(await belowParents(deps, found, question), {
        caller,
        question,
        verb,
        isOwner: rule.word === 'owner',
      });
}

async function belowParents(
  { findParents }: TryDeps,
  found: Found,
  { app, of, objectId = '' }: TryQuestion,
): Promise<Found> {
  const isComplete = parametersOf(found.endpoint).every((name) => name in found.params);
  const parents = isComplete || of === 'bucket' ? undefined : await findParents(of, app.appId, objectId);
  return parents ? { ...found, params: { ...parents, ...found.params } } : found;
}

const signInFirst: Judged = {
  outcome: 'refused',
  status: fail('InvalidSessionToken').entry.status,
  reason: 'This caller has not signed in.',
};

const isByMaker = ({ app, of, bucket }: TryQuestion) =>
  rulesFor({ of, verb: 'create' }, app.rules, { bucketName: bucket }).owner === 'createdBy';

function someReason(verb: Verb, isOwner: boolean): string {
  if (verb === 'create')
    return isOwner ? 'If the new record is theirs.' : 'If the new record meets the condition of the rule.';
  return isOwner ? 'Only what is theirs.' : 'Only what meets the condition of the rule.';
}

/** Which endpoint answers for a verb, and the path that leads to the record. */
interface Found {
  readonly endpoint: Endpoint;
  readonly params: Params;
}

function endpointFor(deps: TryDeps, { of, bucket, objectId }: TryQuestion, verb: Verb): Found | undefined {
  if (verb === 'listen') return undefined;
  const candidates = deps
    .endpoints()
    .filter(({ grant }) => typeof grant === 'object' && grant.of === of && grant.verb === verb);
  const namesRecord = verb !== 'list' && verb !== 'create';
  const known: Params = bucket === undefined ? {} : { bucketName: bucket };
  const found = candidates
    .map((endpoint) => ({ endpoint, names: parametersOf(endpoint) }))
    .filter(
      ({ endpoint, names }) => !namesRecord || endpoint.path.endsWith(`:${names.at(-1)}`) || candidates.length === 1,
    )
    .toSorted((a, b) => a.names.length - b.names.length)[0];
  if (!found) return undefined;
  const idName = found.names.filter((name) => name !== 'bucketName').at(-1);
  return {
    endpoint: found.endpoint,
    params: { ...known, ...(namesRecord && idName && objectId !== undefined ? { [idName]: objectId } : {}) },
  };
}

const parametersOf = ({ path }: Endpoint) => [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);

type EarlyCall = Omit<Call<undefined, undefined>, 'body' | 'located'>;

function callOf(caller: Caller, { now }: TryQuestion, params: Params, query: Params = {}): EarlyCall {
  return {
    ...caller,
    // No endpoint reads the token of a caller who only reads.
    user: caller.user && { ...caller.user, accessToken: '', tokenHash: '', expiresAt: now },
    params,
    query,
    now,
    address: '',
    headers: {},
    stream: Readable.from([]),
    objectId: undefined,
  };
}

interface Judging {
  readonly caller: Caller;
  readonly question: TryQuestion;
}

async function judgeList(found: Found, { caller, question }: Judging): Promise<Judged> {
  return (await isListed(found, { caller, question }))
    ? { outcome: 'allowed', reason: 'This record is in the list.' }
    : { outcome: 'refused', reason: 'This record is left out of the list.' };
}

async function isListed({ endpoint, params }: Found, { caller, question }: Judging): Promise<boolean> {
  const where = JSON.stringify({ objectId: question.objectId });
  const call = callOf(caller, question, params, { where, limit: '1' });
  const located = await endpoint.locate?.(call);
  const answer = await endpoint.handle({ ...call, body: undefined, located });
  return answer instanceof JsonText && (JSON.parse(answer.text) as { results: unknown[] }).results.length > 0;
}

interface JudgingRecord extends Judging {
  readonly verb: Verb;
  readonly isOwner: boolean;
}

async function judgeRecord(
  { endpoint, params }: Found,
  { caller, question, verb, isOwner }: JudgingRecord,
): Promise<Judged> {
  try {
    const call = callOf(caller, question, params);
    const located = await (endpoint.judge ?? endpoint.locate)?.(call);
    // What only reads may go on and read.
    if (!endpoint.judge && endpoint.method === 'GET') await endpoint.handle({ ...call, body: undefined, located });
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) return { outcome: 'refused', status, reason: 'For this caller, the record is not there.' };
    return { outcome: 'refused', status, reason: (error as Failure).message };
  }
  const reason = isOwner ? 'This record is theirs, or nobody’s.' : 'This record meets the condition of the rule.';
  if (verb !== 'update' || isOwner) return { outcome: 'allowed', reason };
  return { outcome: 'allowed', reason: `${reason} What is made of it has to meet it as well.` };
}

/** @throws what is no refusal */
function statusOf(error: unknown): number {
  const status = failureOf(error)?.entry.status;
  if (status === undefined || status >= 500) throw error;
  return status;
}

/** @throws Failure ObjectNotFound unless an administrator finds the record */
async function assertRecord(deps: TryDeps, question: TryQuestion): Promise<void> {
  const caller: Caller = { app: question.app, user: undefined, isAdministrator: true, secretKey: undefined };
  const list = endpointFor(deps, question, 'list');
  if (list && (await isListed(list, { caller, question }))) return;
  throw fail('ObjectNotFound', 'There is no record with this objectId here.');
}
