import { Box } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TextLink } from '../../components/names/names.tsx';
import { Block, Icon } from '../../components/page/blocks.tsx';
import { CloseApp } from '../../components/rules/close-app.tsx';
import { useMay, useMayCall } from '../../lib/data/access.ts';
import { dryRunQuery } from '../../lib/data/queries.ts';
import { datesInWords } from '../../lib/text/dates-in-words.ts';
import { showAge } from '../../lib/time/times.ts';
import type { Attention } from '../../lib/wire.ts';
import { rich, t, translated } from '../../lib/words/words.ts';
import classes from './home.module.css';

interface Props {
  readonly appId: string;
  readonly attention: Attention;
}

interface BlockProps extends Props {
  /** The service does not answer: what it said last may no longer be so. */
  readonly isAway: boolean;
}

type ServerFinding = Attention['findings'][number];

interface Finding {
  readonly key: string;
  readonly isGrave: boolean;
  readonly title: string;
  readonly text: ReactNode;
}

/** Problems that need attention, worst first; otherwise a line that all is well. */
export function AttentionBlock({ appId, attention, isAway }: BlockProps) {
  const findings = [...attention.findings.map(useShown(appId, attention)), ...useRuleFindings(appId, attention)];
  const worstFirst = findings.toSorted((a, b) => Number(b.isGrave) - Number(a.isGrave));
  if (worstFirst.length === 0)
    return isAway ? null : (
      <p className={classes.calm}>
        <Icon name="check" /> {t('All is well. Nothing needs your attention.')}
      </p>
    );
  return <Findings findings={worstFirst} />;
}

/** Of interest before the first visit, too. */
const early: ReadonlySet<ServerFinding['kind']> = new Set(['refused', 'unreachable', 'quota', 'key', 'approval']);

/** Before the first visit: what stops messages, quotas that are nearly used up, and what is open to strangers. */
export function EarlyAttention({ appId, attention }: Props) {
  const shown = useShown(appId, attention);
  const findings = [
    ...attention.findings.filter(({ kind }) => early.has(kind)).map(shown),
    ...useRuleFindings(appId, attention),
  ];
  return findings.length === 0 ? null : <Findings findings={findings} />;
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <Block title={t('Needs attention')}>
      <ul className={`bare ${classes.findings}`} aria-label={t('Needs attention')}>
        {findings.map(({ key, isGrave, title, text }) => (
          <li key={key}>
            <span className={isGrave ? classes.grave : classes.mild}>
              <Icon name="warning" />
            </span>
            <div>
              <Box fw={580}>{title}</Box>
              <p>{text}</p>
            </div>
          </li>
        ))}
      </ul>
    </Block>
  );
}

/** The words of the service, with the way to what they are about. */
function useShown(appId: string, attention: Attention): (finding: ServerFinding) => Finding {
  const may = useMay();
  const mayCall = useMayCall();
  const to = { appId, attention, may, mayCall };
  return ({ kind, key, isGrave, title, text }) => ({
    key,
    isGrave,
    title: datesInWords(translated(title)),
    text: (
      <>
        {datesInWords(translated(text))} {wayTo[kind]?.({ ...to, key })}
      </>
    ),
  });
}

interface To {
  readonly appId: string;
  readonly attention: Attention;
  /** Of the finding. */
  readonly key: string;
  readonly may: ReturnType<typeof useMay>;
  readonly mayCall: ReturnType<typeof useMayCall>;
}

const openSenders = ({ appId, may }: To) =>
  may('senders.read') ? (
    <TextLink to="/apps/$appId/senders" params={{ appId }}>
      {t('Open the push services')}
    </TextLink>
  ) : (
    t('Ask an owner or manager to enter them.')
  );

const toCondition = ({ appId }: To) => (
  <TextLink to="/apps/$appId/beacons/condition" params={{ appId }}>
    {t('Show them')}
  </TextLink>
);

const wayTo: Readonly<Partial<Record<ServerFinding['kind'], (to: To) => ReactNode>>> = {
  failures: ({ appId, attention: { failures } }) => (
    <>
      {rich('The last time was {age}. <link>Show them</link>', {
        age: showAge(failures[0]?.lastAt ?? ''),
        link: (inner) => (
          <TextLink
            to="/apps/$appId/activity"
            params={{ appId }}
            search={{ list: 'deliveries', kind: 'failed', range: 'week' }}
          >
            {inner}
          </TextLink>
        ),
      })}
    </>
  ),
  approval: ({ appId, key }) => (
    <TextLink to="/apps/$appId/push/$pushId" params={{ appId, pushId: key.slice('approval '.length) }}>
      {t('Read it')}
    </TextLink>
  ),
  refused: openSenders,
  unreachable: openSenders,
  webhooks: ({ appId, may }) =>
    may('webhooks.read') && (
      <TextLink to="/apps/$appId/webhooks" params={{ appId }}>
        {t('Open the webhooks')}
      </TextLink>
    ),
  quiet: ({ attention: { lastVisitAt } }) => (
    <>{t('The last visit began {age}.', { age: showAge(lastVisitAt ?? '') })}</>
  ),
  silent: toCondition,
  battery: toCondition,
  misplaced: toCondition,
  tokens: ({ appId, mayCall }) =>
    mayCall('listInstallations') && (
      <TextLink
        to="/apps/$appId/installations"
        params={{ appId }}
        search={{ where: { tokenDeadAt: { $exists: true } } }}
      >
        {t('Show them')}
      </TextLink>
    ),
  sensing: ({ appId, mayCall }) =>
    mayCall('listInstallations') && (
      <TextLink to="/apps/$appId/installations" params={{ appId }}>
        {t('Show how many')}
      </TextLink>
    ),
  crowded: ({ appId, key }) => (
    <TextLink to="/apps/$appId/activity/analytics/plan" params={{ appId }} search={placeSearch(key)}>
      {t('Look at the plan')}
    </TextLink>
  ),
  reports: ({ appId, key }) => (
    <TextLink
      to="/apps/$appId/activity/analytics/reports/$reportId"
      params={{ appId, reportId: key.split(' ')[1] ?? '' }}
    >
      {t('Open the report')}
    </TextLink>
  ),
  quota: ({ appId }) => (
    <TextLink to="/apps/$appId/policy" params={{ appId }} search={{ find: t('Quotas') }}>
      {t('Change the quota')}
    </TextLink>
  ),
  key: ({ appId }) => (
    <TextLink to="/apps/$appId/keys" params={{ appId }}>
      {t('Open the keys')}
    </TextLink>
  ),
};

/** Of a key such as `crowded zone ID`. */
function placeSearch(key: string) {
  const [, place, id] = key.split(' ');
  return { show: 'now', ...(place === 'zone' ? { zone: id } : { venue: id }) } as const;
}

/** Requests and phones from which on an app is no longer a trial. */
const realTraffic = { requests: 1_000, installations: 10 };

/** What is found out beside the list of the service. Until it is known, nothing may be called well, and the page would move. */
export function useAreRulesKnown(appId: string): boolean {
  const isAllowed = useMay()('apps.change');
  const { isPending } = useQuery({ ...dryRunQuery(appId), enabled: isAllowed });
  return !isAllowed || !isPending;
}

/** What the rules leave to strangers. Fine for a trial; a fault where visitors use the app. */
function useRuleFindings(appId: string, { reach }: Attention): readonly Finding[] {
  const isAllowed = useMay()('apps.change');
  const { data: dryRun } = useQuery({ ...dryRunQuery(appId), enabled: isAllowed });
  if (!isAllowed || !dryRun || dryRun.open.parts.length === 0) return [];
  const { app, user, manager } = dryRun.checked;
  const isUsed = app + user + manager >= realTraffic.requests || reach.installations >= realTraffic.installations;
  return [
    {
      key: 'rules',
      isGrave: isUsed,
      title: isUsed ? t('The app is in use and open to strangers') : t('The app is open to strangers'),
      text: (
        <>
          {translated(dryRun.open.sentence)}{' '}
          <TextLink to="/apps/$appId/rules" params={{ appId }}>
            {t('Review the rules')}
          </TextLink>{' '}
          <CloseApp appId={appId} />
        </>
      ),
    },
  ];
}
