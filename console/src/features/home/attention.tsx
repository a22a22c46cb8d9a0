import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Block } from '../../components/page/block.tsx';
import { Icon } from '../../components/page/icon.tsx';
import names from '../../components/page/names.module.css';
import { CloseApp } from '../../components/rules/close-app.tsx';
import { useMay, useMayCall } from '../../lib/data/access.ts';
import { dryRunQuery, rulesQuery, usageOfAppQuery } from '../../lib/data/queries.ts';
import { showBytes } from '../../lib/text/bytes.ts';
import { showAge } from '../../lib/time/time.ts';
import type { Attention, Sender } from '../../lib/wire.ts';
import classes from './home.module.css';
import { sendersQuery } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly attention: Attention;
}

interface Finding {
  readonly key: string;
  readonly isGrave: boolean;
  readonly title: string;
  readonly text: ReactNode;
}

/** Problems that need attention, worst first; otherwise a line that all is well. */
export function AttentionBlock({ appId, attention }: Props) {
  const findings = useFindings(appId, attention).toSorted((a, b) => Number(b.isGrave) - Number(a.isGrave));
  if (findings.length === 0)
    return (
      <p className={classes.calm}>
        <Icon name="check" /> All is well. Nothing needs your attention.
      </p>
    );
  return <Findings findings={findings} />;
}

/** Before the first visit: what stops messages, quotas that are nearly used up, and what is open to strangers. */
export function EarlyAttention({ appId, attention }: Props) {
  const may = useMay();
  const { data: usage } = useQuery(usageOfAppQuery(appId));
  const { data: senders } = useQuery({ ...sendersQuery(appId), enabled: may('senders.read') });
  const findings = [
    ...senderFindings(appId, attention, senders),
    ...quotaFindings(appId, usage),
    ...useRuleFindings(appId, attention),
  ];
  return findings.length === 0 ? null : <Findings findings={findings} />;
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <Block title="Needs attention">
      <ul className={classes.findings} aria-label="Needs attention">
        {findings.map(({ key, isGrave, title, text }) => (
          <li key={key}>
            <span className={isGrave ? classes.grave : classes.mild}>
              <Icon name="warning" />
            </span>
            <div>
              <div className={classes.finding}>{title}</div>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
}

function useFindings(appId: string, attention: Attention): readonly Finding[] {
  const may = useMay();
  const { data: senders } = useQuery({ ...sendersQuery(appId), enabled: may('senders.read') });
  const { data: usage } = useQuery(usageOfAppQuery(appId));
  const mayInstallations = useMayCall()('listInstallations');
  return [
    ...failureFindings(appId, attention),
    ...senderFindings(appId, attention, senders),
    ...webhookFindings(appId, attention, may('webhooks.read')),
    ...silentFindings(appId, attention),
    ...tokenFindings(appId, attention, mayInstallations),
    ...quotaFindings(appId, usage),
    ...useRuleFindings(appId, attention),
  ];
}

/** The share of a quota from which a warning is shown, to leave time to raise it or delete data. */
const nearlyFull = 0.8;
const quotaNames = {
  files: 'files',
  fileBytes: 'file size',
  records: 'records',
  recordBytes: 'record size',
} as const;

type Usage = Readonly<Record<keyof typeof quotaNames, { readonly used: number; readonly quota: number }>>;

function quotaFindings(appId: string, usage: Usage | undefined): readonly Finding[] {
  if (!usage) return [];
  return Object.entries(quotaNames).flatMap(([name, noun]) => {
    const { used, quota } = usage[name as keyof typeof quotaNames];
    if (used < quota * nearlyFull) return [];
    const show = (n: number) => (name.endsWith('Bytes') ? showBytes(n) : n.toLocaleString('en'));
    const percent = quota === 0 ? 100 : Math.floor((used / quota) * 100);
    return [
      {
        key: `quota ${name}`,
        isGrave: used >= quota * 0.95,
        title: `${percent} % of the quota for ${noun} is in use`,
        text: (
          <>
            {show(used)} of {show(quota)}. When it is used up, the app cannot store more.{' '}
            <Link to="/apps/$appId/policy" params={{ appId }} className={names.link}>
              Change the quota
            </Link>
          </>
        ),
      },
    ];
  });
}

const count = (n: number, noun: string) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

function failureFindings(appId: string, { failures }: Attention): readonly Finding[] {
  const total = failures.reduce((sum, one) => sum + one.count, 0);
  const [worst] = failures;
  if (!worst) return [];
  return [
    {
      key: 'failures',
      isGrave: true,
      title: `${count(total, 'message')} failed in the last 24 hours`,
      text: (
        <>
          {worst.reason} The last time was {showAge(worst.lastAt)}.{' '}
          <Link
            to="/apps/$appId/activity/deliveries"
            params={{ appId }}
            search={{ kind: 'failed', range: 'week' }}
            className={names.link}
          >
            Show them
          </Link>
        </>
      ),
    },
  ];
}

/** What stops messages, for every role, with a link for those who may set up senders. */
function senderFindings(
  appId: string,
  { reach }: Attention,
  senders: readonly Sender[] | undefined,
): readonly Finding[] {
  const refused = (senders ?? []).filter(({ lastTest }) => lastTest && !lastTest.ok);
  const findings: Finding[] = refused.map(({ kind, name, lastTest }) => ({
    key: `sender ${kind}`,
    isGrave: true,
    title: `${name} did not accept the credentials`,
    text: `${lastTest?.text ?? ''} It was tried ${showAge(lastTest?.at ?? '')}.`,
  }));
  const missing = reach.unreachable.filter(({ reason }) => reason.includes('credentials'));
  const stopped = missing.reduce((sum, one) => sum + one.count, 0);
  if (reach.installations === 0 || (reach.senders > 0 && stopped === 0)) return findings;
  const text =
    reach.senders === 0
      ? 'Messages reach visitors only while the app is open. The credentials of Firebase, Apple or Web Push are needed.'
      : missing.map(({ reason, count: n }) => `${reason.replace(/\.$/, '')} (${n.toLocaleString('en')}).`).join(' ');
  findings.push({
    key: 'no sender',
    isGrave: true,
    title:
      reach.senders === 0
        ? 'No push service is set up'
        : `${stopped.toLocaleString('en')} of ${count(reach.installations, 'phone')} cannot be sent a push`,
    text: (
      <>
        {text}{' '}
        {senders ? (
          <Link to="/apps/$appId/senders" params={{ appId }} className={names.link}>
            Open the senders
          </Link>
        ) : (
          'Ask an owner or manager to enter them.'
        )}
      </>
    ),
  });
  return findings;
}

function webhookFindings(appId: string, { webhooks }: Attention, mayOpen: boolean): readonly Finding[] {
  const { failing, behind, switchedOff } = webhooks;
  const total = failing + behind + switchedOff;
  if (total === 0) return [];
  const parts = [
    failing > 0 && `${failing.toLocaleString('en')} could not be called for a day`,
    behind > 0 && `${behind.toLocaleString('en')} cannot keep up, and the oldest calls are dropped`,
    switchedOff > 0 && `${switchedOff.toLocaleString('en')} answered 410 Gone and was switched off`,
  ];
  return [
    {
      key: 'webhooks',
      isGrave: true,
      title: `${count(total, 'webhook')} ${total === 1 ? 'does' : 'do'} not get through`,
      text: (
        <>
          {parts.filter(Boolean).join('; ')}.{' '}
          {mayOpen && (
            <Link to="/apps/$appId/webhooks" params={{ appId }} className={names.link}>
              Open the webhooks
            </Link>
          )}
        </>
      ),
    },
  ];
}

function silentFindings(appId: string, { silentBeacons, lastVisitAt }: Attention): readonly Finding[] {
  const { total, seen, beacons } = silentBeacons;
  if (total === 0) return [];
  const isEverything = total === seen;
  const shown = beacons.slice(0, 4);
  const more = total - shown.length;
  return [
    {
      key: 'silent',
      isGrave: false,
      title: isEverything ? 'No visitors for two days' : `${count(total, 'beacon')} fell silent`,
      text: isEverything ? (
        `The last visit began ${showAge(lastVisitAt ?? '')}. If the venue was open, check whether the app still reports.`
      ) : (
        <>
          No visitor has been detected for two days, though there were visitors before. A battery may be empty:{' '}
          {shown.map(({ beaconId, name, lastVisitAt: at }, index) => (
            <span key={beaconId}>
              {index > 0 && ', '}
              <Link to="/apps/$appId/beacons/$beaconId" params={{ appId, beaconId }} className={names.link}>
                {name}
              </Link>{' '}
              ({showAge(at)})
            </span>
          ))}
          {more > 0 && ` and ${more.toLocaleString('en')} more`}.
        </>
      ),
    },
  ];
}

function tokenFindings(appId: string, { tokens }: Attention, mayOpen: boolean): readonly Finding[] {
  const total = tokens.dead.reduce((sum, one) => sum + one.count, 0);
  if (total === 0) return [];
  const reasons = tokens.dead.map((one) => `${one.reason.replace(/\.$/, '')} (${one.count.toLocaleString('en')})`);
  return [
    {
      key: 'tokens',
      isGrave: total > tokens.installations / 2,
      title: `${count(total, 'phone')} of ${tokens.installations.toLocaleString('en')} can no longer be reached`,
      text: (
        <>
          The push service no longer accepts the address: {reasons.join('; ')}. It is renewed when the app is opened
          again.{' '}
          {mayOpen && (
            <Link
              to="/apps/$appId/installations"
              params={{ appId }}
              search={{ where: { tokenDeadAt: { $exists: true } } }}
              className={names.link}
            >
              Show them
            </Link>
          )}
        </>
      ),
    },
  ];
}

/** Requests and phones from which on an app is no longer a trial. */
const realTraffic = { requests: 1_000, installations: 10 };

/** What the rules leave to strangers. Fine for a trial; a fault where visitors use the app. */
function useRuleFindings(appId: string, { reach }: Attention): readonly Finding[] {
  const isAllowed = useMay()('apps.change');
  const { data: rules } = useQuery({ ...rulesQuery(appId), enabled: isAllowed });
  const { data: dryRun } = useQuery({ ...dryRunQuery(appId), enabled: isAllowed });
  if (!isAllowed || !rules || !dryRun || rules.open.parts.length === 0) return [];
  const { app, user, manager } = dryRun.checked;
  const isUsed = app + user + manager >= realTraffic.requests || reach.installations >= realTraffic.installations;
  return [
    {
      key: 'rules',
      isGrave: isUsed,
      title: isUsed ? 'The app is in use and open to strangers' : 'The app is open to strangers',
      text: (
        <>
          {rules.open.sentence}{' '}
          <Link to="/apps/$appId/rules" params={{ appId }} className={names.link}>
            Review the rules
          </Link>{' '}
          <CloseApp appId={appId} />
        </>
      ),
    },
  ];
}
