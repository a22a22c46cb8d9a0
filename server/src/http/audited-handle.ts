import { isObject } from '@pharos/query';
import type { Actor, Change } from '../access/audit.ts';
import { Failure } from '../base/errors.ts';
import type { Call, Endpoint } from './endpoint.ts';
import { plainAnswer } from './hidden-members.ts';
import type { EarlyCall, HandlerAnswer } from './mount-endpoints.ts';
import { isReplayed } from './once.ts';

interface Audited {
  readonly endpoints: readonly Endpoint[];
  readonly record: (change: Change) => Promise<void>;
  readonly by: Actor;
  /** What the audit calls it; `data.` and the endpoint's operationId without it. */
  readonly action?: string;
  /** Makes the change, if the endpoint alone does not. */
  readonly handle?: () => Promise<HandlerAnswer>;
}

/** Writes that store nothing, so that the audit need not record them. */
export const storesNothing: ReadonlySet<string> = new Set(['simulateSightings', 'simulateWalks']);

/** The audit shows a key or an administrator, and the agent that acts for it: on one line, and as it is read. */
export function withAgent(who: string, agent = ''): string {
  const shown = agent
    .slice(0, 100)
    .replace(/[\p{C}\s]+/gu, ' ')
    .trim();
  return shown === '' ? who : `${who}, agent ${shown}`;
}

/**
 * Calls a write and records who did what to which record, with the record before and after if it can be read.
 *
 * The endpoint writes in a transaction of its own, so the audit record follows it. If that cannot be written, the
 * caller gets an error for a change that has been made, and the log says so.
 */
export async function auditedHandle(
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
  { endpoints, record, by, action, handle }: Audited,
): Promise<HandlerAnswer> {
  const keepsStates = !endpoint.tag.isPersonal;
  const getter = keepsStates ? getterOf(endpoint.path, endpoints) : undefined;
  const before = getter && (await readState(getter, call));
  const answer = await (handle?.() ?? endpoint.handle(call));
  // It was recorded when it was done.
  if (isReplayed(answer)) return answer;
  const { objectId } = resultOf(answer);
  const madeId = endpoint.method === 'POST' && typeof objectId === 'string' ? objectId : undefined;
  const made = keepsStates && madeId !== undefined ? await readMade(endpoint, call, madeId, endpoints) : undefined;
  const after = made ?? (getter && endpoint.method !== 'DELETE' ? await readState(getter, call) : undefined);
  const [shownBefore, shownAfter] = before && after ? differing(before, after) : [before, after];
  await record({
    by,
    action: action ?? `data.${endpoint.operationId}`,
    subject: subjectOf(endpoint, call, madeId),
    appId: call.app.appId,
    ...(shownBefore ? { before: bounded(shownBefore) } : {}),
    ...(shownAfter ? { after: bounded(shownAfter) } : {}),
    now: call.now,
  });
  return answer;
}

function resultOf(answer: HandlerAnswer): Readonly<Record<string, unknown>> {
  const value = plainAnswer(answer) as Readonly<Record<string, unknown>>;
  return isObject(value['result']) ? value['result'] : value;
}

/** The ids in the path, and that of a created record: `<storyline>/<scenario>`. */
function subjectOf(endpoint: Endpoint, { params }: EarlyCall, madeId: string | undefined): string {
  const ids = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name = '']) => params[name] ?? '');
  if (madeId !== undefined) ids.push(madeId);
  return ids.length > 0 ? ids.join('/') : endpoint.path.slice(1);
}

/** The endpoint that reads the record that a path names: of the path itself, or of the path without its last part. */
function getterOf(path: string, endpoints: readonly Endpoint[]): Endpoint | undefined {
  for (let rest = path; rest.includes('/:'); rest = rest.slice(0, rest.lastIndexOf('/'))) {
    const found = rest.split('/').at(-1)?.startsWith(':') ? findGet(rest, endpoints) : undefined;
    if (found) return found;
  }
  return undefined;
}

const findGet = (path: string, endpoints: readonly Endpoint[]) =>
  endpoints.find((endpoint) => endpoint.method === 'GET' && endpoint.path === path);

async function readMade(
  { path }: Endpoint,
  call: EarlyCall,
  madeId: string,
  endpoints: readonly Endpoint[],
): Promise<State | undefined> {
  // An upload names its file by name; the created file is read under the same path by id.
  const paths = [...endpoints].filter(({ method }) => method === 'GET').map((endpoint) => endpoint.path);
  const one = paths.find((known) => known.startsWith(`${path}/:`) && !known.slice(path.length + 2).includes('/'));
  const name = /:(\w+)$/.exec(one ?? path)?.[1];
  const getter = findGet(one ?? path, endpoints);
  return getter && name ? readState(getter, { ...call, params: { ...call.params, [name]: madeId } }) : undefined;
}

type State = Readonly<Record<string, unknown>>;

/** Undefined if there is nothing: a path can name something that does not exist yet. */
async function readState(getter: Endpoint, call: EarlyCall): Promise<State | undefined> {
  try {
    const located = await getter.locate?.(call);
    return resultOf(await getter.handle({ ...call, body: undefined, located }));
  } catch (error) {
    if (error instanceof Failure && error.entry.name === 'ObjectNotFound') return undefined;
    throw error;
  }
}

/** Only what a change changed, and the record's name. */
function differing(before: State, after: State): readonly [State, State] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => name !== 'updatedAt' && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const called = ['name', 'title', 'description', 'deviceName'].find((name) => typeof after[name] === 'string');
  const pick = (state: State) =>
    Object.fromEntries(
      [...new Set([...names, ...(called ? [called] : [])])]
        .filter((name) => name in state)
        .map((name) => [name, state[name]]),
    );
  return [pick(before), pick(after)];
}

const maxMember = 500;
const maxMembers = 40;

/** The audit says what happened; it is not a second copy of everything. */
function bounded(state: State): State {
  const shown = Object.entries(state)
    .filter(([name]) => !/password|token|secret/i.test(name))
    .slice(0, maxMembers);
  return Object.fromEntries(
    shown.map(([name, value]) => {
      const text = JSON.stringify(value) ?? 'null';
      return [name, text.length <= maxMember ? value : `${text.slice(0, maxMember)}… (${text.length} characters)`];
    }),
  );
}
