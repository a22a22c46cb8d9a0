import { receiverName } from '@pharos/engine';
import { type GatewayReport, type Heard, readGatewayMessage } from '@pharos/gateways';
import type { AppPolicy } from '../../../access/policy.ts';
import { fail } from '../../../base/errors.ts';
import type { Context } from '../../context.ts';
import type { GatewayFormats } from './formats.ts';
import { GatewayQueue, type Outcome, type Result, type Take } from './queue.ts';
import type { GatewayStates } from './states.ts';

/** Who sends for a gateway, and what it may say. */
export interface GatewaySender {
  readonly appId: string;
  readonly policy: AppPolicy;
  /** The secret key that it sent, or the subscription. */
  readonly keyId: string;
  /** The gateway that it is; undefined: the one that topic or message name. */
  readonly gateway: string | undefined;
  /** The gateways to which its key is limited. */
  readonly gateways: ReadonlySet<string> | undefined;
}

export interface GatewayPayload {
  readonly payload: Uint8Array;
  readonly topic?: string | undefined;
  /** Its connection sends only so much before this is stored. What others send is refused while too much waits. */
  readonly isHeldBack?: boolean;
  /** A broker may have kept it while nobody was there. */
  readonly mayBeKept?: boolean;
  /** Whether the gateway may send this beside others; if not, it is refused. */
  readonly mayTake?: (gateway: string) => Promise<boolean>;
}

/** What became of a message. */
export interface Received {
  readonly report: GatewayReport;
  /** Undefined if nothing says which gateway it is. */
  readonly gateway: string | undefined;
  readonly counts: Counts;
  /** The problems, each reason once. */
  readonly problems: readonly Problem[];
}

export type Counts = Readonly<Record<Result, number>>;

export interface Problem {
  readonly code: string;
  readonly message: string;
  readonly count: number;
}

export interface IntakeDeps extends Pick<Context, 'now'> {
  readonly takeHeard: Context['sightings']['takeHeard'];
  readonly states: Pick<GatewayStates, 'note' | 'timeOf'>;
  /** As whose messages those of a gateway are read; undefined: found by shape and topic. */
  readonly formatOf: GatewayFormats['of'];
  /** Called with what a gateway has sent, and when (ms), for the state of the beacons. */
  readonly noteHeard: (appId: string, gateway: string, report: GatewayReport, at: number) => void;
  /** The gateway has heard this, and it was taken or something else became of it. */
  readonly noteNearby: (appId: string, gateway: string, one: Heard, isStranger: boolean) => void;
  /** Resolves changing addresses to known tags. */
  readonly resolve: (appId: string, heard: readonly Heard[]) => Promise<readonly Heard[]>;
}

interface Taking extends Pick<GatewayPayload, 'isHeldBack'> {
  readonly heard: readonly Heard[];
  readonly clockOffset: number | undefined;
}

/** Gateways of which it is remembered when each tag was heard last. */
const maxQueues = 2_000;
/** Problems of sightings that count all the same. */
const notes: ReadonlySet<string> = new Set(['clock_ahead', 'shared_address']);

export type GatewayIntake = ReturnType<typeof createGatewayIntake>;

/** Takes what gateways send, by whatever way it comes: reads it, and passes it on as sightings by that receiver. */
export function createGatewayIntake({ now, takeHeard, states, formatOf, noteHeard, noteNearby, resolve }: IntakeDeps) {
  const queues = new Map<string, GatewayQueue>();
  const totals = noCounts();

  function queueOf({ appId, keyId }: GatewaySender, gateway: string): GatewayQueue {
    const key = `${appId} ${keyId} ${gateway}`;
    const queue = queues.get(key) ?? new GatewayQueue();
    // Those that were quiet for longest come first.
    queues.delete(key);
    for (const [oldest, one] of queues) {
      if (queues.size < maxQueues && !one.isQuiet(now())) break;
      if (one.isIdle) queues.delete(oldest);
    }
    queues.set(key, queue);
    return queue;
  }

  function takeFor({ appId, policy, gateways }: GatewaySender, gateway: string): Take {
    const by = { appId, policy, userId: undefined, seesAll: true, seesWhereabouts: false, secret: undefined, gateways };
    return async (heard, clockOffset) => {
      const found = await takeHeard({ ...by, now: now() }, { gateway, heard, clockOffset });
      return new Map(
        found
          .filter(({ code }) => !notes.has(code))
          .map(({ index, code, message }) => [index, outcomeOf(code, message)]),
      );
    };
  }

  async function take(sender: GatewaySender, gateway: string, { heard: all, clockOffset, isHeldBack }: Taking) {
    if (all.length === 0) return [];
    const heard = await resolve(sender.appId, all);
    const queue = queueOf(sender, gateway);
    if (queue.isFull && !isHeldBack)
      throw fail('Timeout', { message: `The gateway ${gateway} sends more than can be stored.`, retryAfter: 2 });
    return queue.add({ heard, clockOffset, now: now() }, takeFor(sender, gateway));
  }

  /** Notes what it says about the gateway and about beacons, and passes on the rest. */
  async function takeFrom(
    sender: GatewaySender,
    gateway: string,
    { report, message, mayTake }: { report: GatewayReport; message: GatewayPayload; mayTake: boolean },
  ): Promise<readonly Outcome[]> {
    const { heard, status } = report;
    const { appId } = sender;
    const { isHeldBack, mayBeKept } = message;
    if (!mayName(sender, gateway)) return take(sender, gateway, { heard, clockOffset: undefined, isHeldBack });
    const time = await states.timeOf(appId, gateway, report, mayBeKept);
    if (time || status?.isOnline === false)
      states.note(appId, gateway, report, { at: time?.at ?? now(), isRefused: !mayTake });
    if (!mayTake) return heard.map(() => tooMany);
    if (!time) return heard.map(() => kept);
    noteHeard(appId, gateway, report, time.at);
    const outcomes = await take(sender, gateway, { heard, clockOffset: time.clockOffset, isHeldBack });
    if (time.isLate) return outcomes;
    for (const [index, one] of heard.entries()) {
      const { result, code } = outcomes[index] ?? nameless;
      const isStranger = result === 'unknown' || code === 'unknown_gateway';
      if (isStranger || result === 'taken' || result === 'beacon') noteNearby(appId, gateway, one, isStranger);
    }
    return outcomes;
  }

  return {
    /** How many advertisements had which result, since the start. */
    totals: (): Counts => totals,

    /** Resolves with the problems of the message when the rest is stored. @throws Failure if it cannot be stored now */
    async receive(sender: GatewaySender, message: GatewayPayload): Promise<Received> {
      const found = readGatewayMessage(message);
      const gateway = sender.gateway ?? found.gateway;
      const format = gateway === undefined ? undefined : await formatOf(sender.appId, gateway);
      const report = format && format !== found.format ? readGatewayMessage({ ...message, format }) : found;
      const mayTake = gateway === undefined || (await message.mayTake?.(receiverName(gateway))) !== false;
      const outcomes =
        gateway === undefined
          ? report.heard.map(() => nameless)
          : await takeFrom(sender, gateway, { report, message, mayTake });
      const counts = noCounts();
      for (const { result } of outcomes) counts[result]++;
      counts.refused += report.leftOutCount;
      for (const [result, count] of Object.entries(counts)) totals[result as Result] += count;
      return { report, gateway, counts, problems: problemsOf([...report.leftOut, ...outcomes]) };
    },
  };
}

/** Names of receivers are compared as everywhere; see `receiverName`. */
export const mayName = ({ gateways }: Pick<GatewaySender, 'gateways'>, gateway: string): boolean =>
  !gateways || [...gateways].some((one) => receiverName(one) === receiverName(gateway));

const noCounts = (): Record<Result, number> => ({ taken: 0, beacon: 0, unknown: 0, refused: 0, merged: 0 });

const outcomeOf = (code: string, message: string): Outcome => {
  if (code === 'known_beacon') return { result: 'beacon' };
  return { result: code === 'unknown_tag' ? 'unknown' : 'refused', code, message };
};

const nameless: Outcome = {
  result: 'refused',
  code: 'no_gateway',
  message: 'Neither the topic nor the message names the gateway.',
};
const kept: Outcome = {
  result: 'refused',
  code: 'kept',
  message: 'The broker may have kept it, and nothing says when it was heard.',
};
const tooMany: Outcome = { result: 'refused', code: 'too_many', message: 'The gateway sends too much.' };

function problemsOf(found: readonly { readonly code?: string; readonly message?: string }[]): Problem[] {
  const byCode = Map.groupBy(found, ({ code }) => code);
  return [...byCode].flatMap(([code, [first, ...more]]) =>
    code === undefined || first?.message === undefined ? [] : { code, message: first.message, count: more.length + 1 },
  );
}
