import { bucketSubject, type DryRun, isDecidedAtGate, passesGate } from '../access/rules/dry-run.ts';
import { roleOf } from '../access/rules/rule-types.ts';
import { type Call, type Endpoint, JsonText } from './endpoint.ts';

/** Records of a list that are compared. */
const maxCompared = 100;

/**
 * Notes a request that the app's rules allow, if those of the dry run would not have. Whether single records would be hidden is
 * noted where they are found; lists are judged occasionally, alongside requests.
 */
export function noteDryRun(endpoint: Endpoint, call: Call<unknown, unknown>, dryRun: DryRun): void {
  const { grant } = endpoint;
  // What a secret key may do is in its scopes.
  if (typeof grant === 'string' || call.secretKey) return;
  const { of, verb, open } = grant;
  // Where everyone with the app key may call, the bearer is not read; it may be under other rules.
  const caller = roleOf(call.user);
  dryRun.noteRequest(caller);
  const bucket = call.params['bucketName'] ?? '';
  const rule = dryRun.changed(of, verb, bucket);
  if (!rule) return;
  const cell = () => ({ subject: of === 'bucket' ? bucketSubject(bucket) : of, verb, caller });
  const isUnread = open === 'app' && call.user === undefined && call.headers['authorization'] !== undefined;
  if (!passesGate(rule.gate, call.user) && !isUnread) dryRun.note(cell(), 'refused');
  else if (verb === 'list' && !isDecidedAtGate(rule))
    dryRun.sampleList({
      of,
      bucketName: bucket,
      caller,
      now: call.now,
      cell,
      isNarrowed: () => isNarrowed(endpoint, call, dryRun),
    });
}

/** Whether the first records of the list would differ. */
async function isNarrowed(endpoint: Endpoint, call: Call<unknown, unknown>, { rules }: DryRun): Promise<boolean> {
  const limit = Math.min(Number(call.query['limit'] || maxCompared), maxCompared);
  const ask = async (app: typeof call.app) =>
    idsOf(await endpoint.handle({ ...call, app, query: { ...call.query, limit: `${limit}`, count: undefined } }));
  const { dryRun: _, ...app } = call.app;
  return (await ask(app)) !== (await ask({ ...app, rules }));
}

function idsOf(answer: unknown): string {
  const { results } = (answer instanceof JsonText ? JSON.parse(answer.text) : answer) as {
    readonly results: readonly { readonly objectId: string }[];
  };
  return results.map(({ objectId }) => objectId).join(' ');
}
