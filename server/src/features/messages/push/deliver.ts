import { permissionsOf } from '../../../access/consent.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import { isAborted } from '../../../base/flow/late-abort.ts';
import { untilStored } from '../../../base/flow/until-stored.ts';
import type { Db } from '../../../db/db.ts';
import { notSetUp } from '../../../delivery/push/not-set-up.ts';
import type { Pace } from '../../../delivery/push/pace.ts';
import type {
  PushContent,
  PushSender,
  PushSenderKind,
  PushTarget,
  SendResult,
} from '../../../delivery/push/push-sender.ts';
import { routeOf } from '../../../delivery/push/route.ts';
import { type JobContext, LeaseLost } from '../../../jobs/job.ts';
import type { Context } from '../../context.ts';
import * as store from './delivery-store.ts';

/** Hands one message to many recipients and writes down what became of each. */

/** By provider the app's sender, or why it cannot be used. */
export type UsableSenders = ReadonlyMap<
  PushSenderKind,
  { readonly sender: PushSender; readonly since: number } | { readonly problem: string }
>;

export interface PushDeliveryDeps extends Pick<Context, 'markTokenDead' | 'now' | 'onError'> {
  readonly findSenders: (appId: string) => Promise<UsableSenders>;
  /** Undefined when the app is gone. */
  readonly findPolicy: (appId: string) => Promise<AppPolicy | undefined>;
  /** One for each app and provider, since its credentials were entered: a provider pauses an account, not an app. */
  readonly paceOf: (appId: string, kind: PushSenderKind, since: number) => Pace;
  /** 0 to 1, for the pause before a retry. */
  readonly random: () => number;
  /** Called with what was stored. `sender` is null where no provider was asked. */
  readonly onWritten: (sender: string | null, state: string, count: number) => void;
}

export interface Delivering {
  readonly appId: string;
  readonly recipients: readonly store.PushRecipient[];
  /** The language for a phone with this locale; null where nothing is known of languages. */
  readonly languageFor: (locale: string | null) => string | null;
  readonly contentFor: (deviceType: PushTarget['deviceType'], language: string | null) => PushContent;
  readonly urgency: 'high' | 'normal';
  readonly signal: AbortSignal;
  /** Writes outcomes down; called with a few hundred at a time, one call after the other. */
  readonly write: (outcomes: readonly DeliveryOutcome[]) => Promise<void>;
}

export interface DeliveryOutcome extends store.Settlement {
  readonly recipient: store.PushRecipient;
  readonly deadToken?: { readonly reason: string; readonly since: number | undefined };
}

/** The pause after try n is drawn from 0 to `min(longest, first · 2^(n − 1))`: full jitter. */
const firstPauseMs = 1_000;
const maxPauseMs = 60_000;
const writtenAtOnce = 250;
const writtenEveryMs = 500;
const maxReasonLength = 300;

/** As the console names them: those who write messages know who makes their phones. */
export const providerNames: Readonly<Record<PushSenderKind, string>> = {
  fcm: 'Google (FCM)',
  apns: 'Apple (APNs)',
  webpush: 'Web Push',
  mqtt: 'MQTT',
};

/** Sends the slice. Answers for which providers other credentials were entered meanwhile: what these have postponed need not wait. */
export async function deliver(deps: PushDeliveryDeps, delivering: Delivering): Promise<readonly PushSenderKind[]> {
  const { recipients, write } = delivering;
  if (recipients.length === 0) return [];
  const senders = await deps.findSenders(delivering.appId);
  const consent = (await deps.findPolicy(delivering.appId))?.consent ?? 'assumed';
  const contents = new Map<string, PushContent>();
  const contentFor: Delivering['contentFor'] = (deviceType, language) => {
    const key = `${deviceType} ${language}`;
    const content = contents.get(key) ?? delivering.contentFor(deviceType, language);
    contents.set(key, content);
    return content;
  };
  const languages = new Map<string | null, string | null>();
  const languageFor: Delivering['languageFor'] = (locale) => {
    const language = languages.get(locale) ?? delivering.languageFor(locale);
    languages.set(locale, language);
    return language;
  };
  // One draw for all: recipients of a slice that wait for the same thing come back together.
  const pause = deps.random();
  const journal = createJournal(write);
  const one = { ...delivering, senders, consent, languageFor, contentFor, pause };
  let isSomePutOff = false;
  await Promise.all(
    recipients.map(async (recipient) => {
      const outcome = await attempt(deps, one, recipient);
      // The stop came in between: whether it was sent is unknown, and somebody else tries again.
      if (outcome === undefined) return;
      isSomePutOff ||= outcome.state === 'queued';
      journal.add({ recipient, ...outcome });
    }),
  );
  await journal.end();
  if (!isSomePutOff) return [];
  const present = await deps.findSenders(delivering.appId);
  return [...present.keys()].filter((kind) => enteredAt(present, kind) > enteredAt(senders, kind));
}

/** When the credentials were entered that are in use; 0 where there are none. */
function enteredAt(senders: UsableSenders, kind: PushSenderKind): number {
  const found = senders.get(kind);
  return found && 'since' in found ? found.since : 0;
}

/** Whether there are other credentials by now than those with which it was put off. */
export function waitsForFormer(
  senders: UsableSenders,
  { sender, updated_at }: Pick<store.PushRecipient, 'sender' | 'updated_at'>,
): boolean {
  return sender !== null && updated_at < enteredAt(senders, sender);
}

export interface WritingDown {
  readonly db: Db;
  readonly outcomes: readonly DeliveryOutcome[];
  readonly assertHeld: JobContext['assertHeld'];
  readonly store: (db: Db, outcomes: readonly DeliveryOutcome[]) => Promise<void>;
}

/**
 * Writes outcomes as soon as the database takes them. If the job has gone to somebody else meanwhile, what was sent is noted all the same, so
 * that it is not sent again if there is still time for that. Answers those that were written.
 */
export async function writeDown({ db, outcomes, assertHeld, store }: WritingDown): Promise<readonly DeliveryOutcome[]> {
  const write = (these: readonly DeliveryOutcome[], assert: JobContext['assertHeld']) =>
    untilStored(() =>
      db.transaction(async (db) => {
        await assert(db);
        await store(db, these);
      }),
    );
  try {
    await write(outcomes, assertHeld);
    return outcomes;
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error;
    const sent = outcomes.filter(({ state }) => state === 'sent');
    if (sent.length > 0) await write(sent, async () => undefined);
    return sent;
  }
}

/** After the commit: what was rolled back did not happen. */
export function noteWritten(
  { onWritten }: Pick<PushDeliveryDeps, 'onWritten'>,
  outcomes: readonly DeliveryOutcome[],
): void {
  for (const group of groupOutcomes(outcomes)) {
    const [first] = group;
    if (first) onWritten(first.sender, first.state, group.length);
  }
}

/** Gathers outcomes and writes them in portions, so that a crash repeats few messages. */
function createJournal(write: Delivering['write']) {
  let waiting: DeliveryOutcome[] = [];
  let writing: Promise<void> = Promise.resolve();
  const flush = () => {
    const portion = waiting;
    waiting = [];
    if (portion.length > 0) writing = writing.then(() => write(portion));
    return writing;
  };
  // A failure is kept in the chain and met at the end.
  const flushAlong = () => void flush().catch(() => undefined);
  // One recipient whose provider does not answer must not keep back what became of the others.
  const timer = setInterval(flushAlong, writtenEveryMs);
  return {
    add(outcome: DeliveryOutcome) {
      waiting.push(outcome);
      if (waiting.length >= writtenAtOnce) flushAlong();
    },
    end() {
      clearInterval(timer);
      return flush();
    },
  };
}

type Attempt = Omit<Delivering, 'recipients' | 'write'> & {
  readonly senders: UsableSenders;
  readonly consent: AppPolicy['consent'];
  readonly pause: number;
};
type Ending = Omit<DeliveryOutcome, 'recipient'>;

const ended = (state: Ending['state'], reason: string | null, sender: string | null = null): Ending => ({
  state,
  reason: reason === null ? null : reason.slice(0, maxReasonLength),
  sender,
  tries: 0,
  runAt: 0,
  language: null,
});

/** Sends one message. Undefined when the service was stopped meanwhile. */
async function attempt(
  deps: PushDeliveryDeps,
  one: Attempt,
  recipient: store.PushRecipient,
): Promise<Ending | undefined> {
  if (recipient.received_at !== null) return ended('sent', null);
  if (recipient.expires_at <= deps.now()) return tooLate(recipient);
  const route = findRoute(one, recipient);
  if ('problem' in route) return ended('noTarget', route.problem);
  const { kind, sender, since, target } = route;
  const pace = deps.paceOf(one.appId, kind, since);
  const admittedAt = await pace.admit(one.signal);
  if (isAborted(one.signal)) return undefined;
  if (admittedAt > 0) return putOff(recipient, { kind, at: admittedAt, reason: recipient.reason, tries: 0 });
  const language = one.languageFor(recipient.locale_identifier);
  const message = {
    deliveryId: recipient.object_id,
    content: one.contentFor(target.deviceType, language),
    expiresAt: recipient.expires_at,
    urgency: one.urgency,
  };
  const result = await sender.send(message, target, one.signal).catch((error: unknown) => {
    deps.onError(`sending by ${providerNames[kind]}`, error);
    return broken;
  });
  if (one.signal.aborted && result.outcome === 'retry') return undefined;
  return { ...judge(deps, { result, recipient, kind, pace, pause: one.pause }), language };
}

const broken: SendResult = {
  outcome: 'retry',
  scope: 'message',
  reason: 'Something went wrong inside the service; its log has more.',
};

interface FoundRoute {
  readonly kind: PushSenderKind;
  readonly sender: PushSender;
  readonly since: number;
  readonly target: PushTarget;
}

function findRoute(
  { senders, consent }: Pick<Attempt, 'senders' | 'consent'>,
  recipient: store.PushRecipient,
): FoundRoute | { readonly problem: string } {
  const { device_type: deviceType, device_token: token } = recipient;
  if (deviceType === null) return { problem: 'The installation was deleted.' };
  if (recipient.handed_over_at !== null && recipient.created_at <= recipient.handed_over_at)
    return { problem: 'The installation has gone to somebody else since.' };
  if (!permissionsOf(recipient.consents, { consent }).messages)
    return { problem: 'The visitor has not agreed to messages.' };
  if (token === null) return { problem: 'The installation has no device token.' };
  if (recipient.token_dead_at !== null)
    return { problem: `The device token is dead: ${recipient.token_dead_reason ?? 'the provider said so'}` };
  const route = routeOf(recipient.push_type, deviceType, (kind) => senders.has(kind));
  if ('problem' in route) return route;
  const found = senders.get(route.kind);
  if (!found) return { problem: notSetUp[route.kind] };
  if ('problem' in found) return found;
  const app = recipient.app_identifier;
  return {
    kind: route.kind,
    sender: found.sender,
    since: found.since,
    target: { token, deviceType, ...(app === null ? {} : { appIdentifier: app }) },
  };
}

/** Tried without success it has failed, for the provider's reason; never tried, it has expired. */
function tooLate({ attempts, reason }: store.PushRecipient): Ending {
  return attempts > 0
    ? ended('failed', `${reason ?? 'The provider did not take it'} (no time was left for another try)`)
    : ended('expired', reason ?? 'It could not be sent in time.');
}

interface Judged {
  readonly result: SendResult;
  readonly recipient: store.PushRecipient;
  readonly kind: PushSenderKind;
  readonly pace: Pace;
  readonly pause: number;
}

function judge(deps: PushDeliveryDeps, { result, recipient, kind, pace, pause }: Judged): Ending {
  if (result.outcome !== 'retry') pace.succeeded();
  switch (result.outcome) {
    case 'sent':
      return { ...ended('sent', null, kind), tries: 1 };
    case 'failed':
      return { ...ended('failed', result.reason, kind), tries: 1 };
    case 'dead': {
      const reason = result.reason.slice(0, maxReasonLength);
      return { ...ended('failed', reason, kind), tries: 1, deadToken: { reason, since: result.since } };
    }
    case 'retry': {
      const at = retryAt(deps, { result, recipient, pace, pause });
      return putOff(recipient, { kind, at, reason: result.reason, tries: 1 });
    }
  }
}

function retryAt(
  deps: PushDeliveryDeps,
  {
    result,
    recipient,
    pace,
    pause,
  }: Pick<Judged, 'recipient' | 'pace' | 'pause'> & {
    readonly result: SendResult & { outcome: 'retry' };
  },
): number {
  if (result.scope === 'provider') return pace.pushedBack(result.afterMs);
  const bound = Math.min(maxPauseMs, firstPauseMs * 2 ** recipient.attempts);
  // Whoever says "in 0 seconds", or names a time that is over by this clock, is not asked without a pause either.
  return deps.now() + Math.max(result.afterMs ?? 0, Math.ceil(pause * bound));
}

interface Later {
  readonly kind: PushSenderKind;
  readonly at: number;
  readonly reason: string | null;
  readonly tries: 0 | 1;
}

/** Postpones a message, or ends it when that would be too late. */
function putOff(recipient: store.PushRecipient, { kind, at, reason, tries }: Later): Ending {
  if (at < recipient.expires_at) return { ...ended('queued', reason, kind), tries, runAt: at };
  const late = tooLate({ ...recipient, attempts: recipient.attempts + tries, reason });
  return { ...late, sender: kind, tries };
}

/** Outcomes that are written with the same statement, together. */
function groupOutcomes(outcomes: readonly DeliveryOutcome[]): readonly (readonly DeliveryOutcome[])[] {
  const groups = new Map<string, DeliveryOutcome[]>();
  for (const outcome of outcomes) {
    const { state, reason, sender, tries, runAt, language } = outcome;
    const key = JSON.stringify([state, reason, sender, tries, runAt, language]);
    const group = groups.get(key);
    if (group) group.push(outcome);
    else groups.set(key, [outcome]);
  }
  return [...groups.values()];
}

export interface WrittenOutcomes {
  readonly appId: string;
  readonly outcomes: readonly DeliveryOutcome[];
  readonly now: number;
}

/** Writes outcomes in the transaction that `db` is. Answers how many deliveries came to each state. */
export async function writeOutcomes(
  db: Db,
  { appId, outcomes, now }: WrittenOutcomes,
  markTokenDead: Context['markTokenDead'],
): Promise<ReadonlyMap<DeliveryOutcome['state'], number>> {
  const counts = new Map<DeliveryOutcome['state'], number>();
  for (const group of groupOutcomes(outcomes)) {
    const [first] = group;
    if (!first) continue;
    const ids = group.map(({ recipient }) => recipient.object_id);
    const changed = await store.settle(db, appId, ids, { ...first, now });
    counts.set(first.state, (counts.get(first.state) ?? 0) + changed);
  }
  for (const { deadToken, recipient } of outcomes) {
    if (!deadToken || recipient.device_token === null) continue;
    const { installation_id: installationId, device_token: token } = recipient;
    await markTokenDead(db, appId, { installationId, token, ...deadToken, now });
  }
  return counts;
}
