import { lacksCredentials } from '../../../delivery/push/not-set-up.ts';
import { bytesText } from '../../../limits/bytes-text.ts';
import type { ServiceCondition } from '../../condition.ts';
import { dayIn } from '../../zone-day.ts';
import type { ReachSummary, WebhookTrouble } from './schemas.ts';

/** What is counted of an app, for the words about it. */
export interface AppCounts {
  /** In which days are counted. */
  readonly timeZone: string;
  readonly lastVisitAt: string | null;
  /** Since the last visitor: days that are over, and of these open ones, if the hours of a venue are known. */
  readonly quiet: { readonly days: number; readonly openDays: number | undefined };
  readonly tokens: {
    readonly installations: number;
    readonly dead: readonly { readonly reason: string; readonly count: number }[];
  };
  readonly failures: readonly { readonly reason: string; readonly count: number }[];
  readonly webhooks: WebhookTrouble;
  readonly reach: ReachSummary;
  readonly senders: readonly RefusedSender[];
  readonly quotas: Readonly<Record<keyof typeof quotaNames, { readonly used: number; readonly quota: number }>>;
  readonly waiting: readonly { readonly pushId: string; readonly data: Readonly<Record<string, unknown>> }[];
  readonly crowded: readonly ServiceCondition[];
  readonly sensing: readonly ServiceCondition[];
  readonly reports: readonly ServiceCondition[];
  /** What is wrong with beacons. */
  readonly beacons: readonly ServiceCondition[];
  readonly keys: readonly { readonly keyId: string; readonly name: string; readonly expiresAt: string | null }[];
}

interface RefusedSender {
  readonly kind: string;
  readonly name: string;
  readonly lastTest: { readonly ok: boolean; readonly text: string } | null;
}

/**
 * What needs a person, worst first. The console's home, the mails and the webhooks all have it from here, so that they
 * never disagree.
 */
export function findingsOf(counted: AppCounts, now: number): readonly ServiceCondition[] {
  const found = [
    ...counted.crowded,
    ...failureFindings(counted),
    ...senderFindings(counted),
    ...reachFindings(counted),
    ...webhookFindings(counted),
    ...approvalFindings(counted),
    ...quietFindings(counted),
    ...counted.beacons,
    ...tokenFindings(counted),
    ...counted.sensing,
    ...quotaFindings(counted),
    ...counted.reports,
    ...keyFindings(counted, now),
  ];
  return found.toSorted((a, b) => Number(b.isGrave) - Number(a.isGrave));
}

const number = (n: number) => n.toLocaleString('en');
const count = (n: number, noun: string) => `${number(n)} ${noun}${n === 1 ? '' : 's'}`;
const withoutStop = (text: string) => text.replace(/\.$/, '');
/** Without the code in front of it, such as `FCM 400 INVALID_ARGUMENT`; it is in the log. */
const inWords = (reason: string) =>
  reason.replace(/^\w+ \d{3} \w+ ?/, '') || 'The push service refused it; its answer is in the log.';
const sum = (parts: readonly { readonly count: number }[]) => parts.reduce((total, one) => total + one.count, 0);

function failureFindings({ failures }: AppCounts): readonly ServiceCondition[] {
  const [worst] = failures;
  if (!worst) return [];
  const title = `${count(sum(failures), 'message')} failed in the last 24 hours`;
  return [{ kind: 'failures', key: 'failures', isGrave: true, title, text: inWords(worst.reason) }];
}

function senderFindings({ senders }: AppCounts): readonly ServiceCondition[] {
  return senders
    .filter(({ lastTest }) => lastTest && !lastTest.ok)
    .map(({ kind, name, lastTest }) => ({
      kind: 'refused',
      key: `refused ${kind}`,
      isGrave: true,
      title: `${name} did not accept the credentials`,
      text: lastTest?.text ?? '',
    }));
}

/** What stops messages; every role sees it. */
function reachFindings({ reach }: AppCounts): readonly ServiceCondition[] {
  const missing = reach.unreachable.filter(({ reason }) => lacksCredentials(reason));
  const stopped = sum(missing);
  if (reach.installations === 0 || (reach.senders > 0 && stopped === 0)) return [];
  const fault = { kind: 'unreachable', key: 'unreachable', isGrave: true } as const;
  if (reach.senders === 0)
    return [
      {
        ...fault,
        title: 'No push service is set up',
        text: 'Messages reach visitors only while the app is open. The credentials of Firebase, Apple or Web Push are needed.',
      },
    ];
  return [
    {
      ...fault,
      title: `${number(stopped)} of ${count(reach.installations, 'phone')} cannot be sent a push`,
      text: missing.map(({ reason, count: n }) => `${withoutStop(reason)} (${number(n)}).`).join(' '),
    },
  ];
}

function webhookFindings({
  webhooks: { failing, behind, switchedOff, withoutRight },
}: AppCounts): readonly ServiceCondition[] {
  const total = failing + behind + switchedOff + withoutRight;
  if (total === 0) return [];
  const parts = [
    failing > 0 && `${number(failing)} could not be called for a day`,
    behind > 0 && `${number(behind)} cannot keep up, and the oldest calls are dropped`,
    switchedOff > 0 && `${number(switchedOff)} answered 410 Gone and was switched off`,
    withoutRight > 0 && `${number(withoutRight)} was switched off because whoever chose its events lost the right to`,
  ];
  const title = total === 1 ? '1 webhook does not get through' : `${number(total)} webhooks do not get through`;
  const text = `${parts.filter(Boolean).join('; ')}.`;
  return [{ kind: 'webhooks', key: 'webhooks', isGrave: true, title, text }];
}

function approvalFindings({ waiting }: AppCounts): readonly ServiceCondition[] {
  const titleOf = (name: unknown) =>
    name
      ? `“${String(name).slice(0, 80)}” waits for a second person`
      : '“A message without text” waits for a second person';
  return waiting.map(({ pushId, data: { title, alert } }) => ({
    kind: 'approval' as const,
    key: `approval ${pushId}`,
    isGrave: false,
    title: titleOf(title || alert),
    text: 'It goes to more phones than one person alone may send to. Somebody who has not written it has to approve it before it expires.',
  }));
}

/** Days with no visitor after which something may be broken, if the hours are known, and if it may have been closed for a week. */
const quietOpenDays = 2;
const quietDays = 8;

function quietFindings({ quiet: { days, openDays } }: AppCounts): readonly ServiceCondition[] {
  if (days < quietDays && (openDays === undefined || openDays < quietOpenDays)) return [];
  const isOpen = openDays !== undefined && openDays >= quietOpenDays;
  return [
    {
      kind: 'quiet',
      key: 'quiet',
      isGrave: false,
      title: isOpen ? 'No visitors on two open days' : 'No visitors for eight days',
      text: 'Check whether the app still reports. If nothing at all is heard, all batteries may be empty.',
    },
  ];
}

function tokenFindings({ tokens }: AppCounts): readonly ServiceCondition[] {
  const total = sum(tokens.dead);
  if (total === 0) return [];
  return [
    {
      kind: 'tokens',
      key: 'tokens',
      isGrave: total > tokens.installations / 2,
      title: `${count(total, 'phone')} of ${number(tokens.installations)} can no longer be reached`,
      text: 'The push services no longer accept their addresses, often because the app was removed. An address is renewed when the app is opened again.',
    },
  ];
}

/** The share of a quota from which a warning is shown, to leave time to raise it or delete data. */
const nearlyFull = 0.8;
const quotaNames = { files: 'files', fileBytes: 'file size', records: 'records', recordBytes: 'record size' } as const;

function quotaFindings({ quotas }: AppCounts): readonly ServiceCondition[] {
  return Object.entries(quotaNames).flatMap(([name, noun]) => {
    const { used, quota } = quotas[name as keyof typeof quotaNames];
    if (used < quota * nearlyFull) return [];
    const show = name.endsWith('Bytes') ? bytesText : number;
    return [
      {
        kind: 'quota' as const,
        key: `quota ${name}`,
        isGrave: used >= quota * 0.95,
        title: `${quota === 0 ? 100 : Math.floor((used / quota) * 100)} % of the quota for ${noun} is in use`,
        text: `${show(used)} of ${show(quota)}. When it is used up, the app cannot store more.`,
      },
    ];
  });
}

/** How long before a key expires it is warned of: time to make another and install it. */
const keyWarningMs = 14 * 86_400_000;
/** An expired key that nobody has removed is no news after this long. */
const keyForgottenMs = 7 * 86_400_000;

function keyFindings({ keys, timeZone }: AppCounts, now: number): readonly ServiceCondition[] {
  return keys.flatMap(({ keyId, name, expiresAt }) => {
    const at = expiresAt === null ? Number.NaN : Date.parse(expiresAt);
    if (!(at < now + keyWarningMs && at > now - keyForgottenMs)) return [];
    const { day } = dayIn(timeZone, at);
    return [
      {
        kind: 'key' as const,
        key: `key ${keyId}`,
        isGrave: at <= now,
        title: at <= now ? `The secret key ${name} has expired` : `The secret key ${name} expires on ${day}`,
        text: 'Whatever uses it is refused from then on. Make another key, and revoke this one when it is no longer used.',
      },
    ];
  });
}
