import { Alert, Badge, Group } from '@mantine/core';
import { MetadataBlock } from '../../../components/code/code-block.tsx';
import { ShowRequest } from '../../../components/code/show-request.tsx';
import { shortId, TextLink } from '../../../components/names/names.tsx';
import { Block, Icon, TechnicalDetails } from '../../../components/page/blocks.tsx';
import { Fact, Facts, IdFact, TimeFact } from '../../../components/page/facts.tsx';
import { useMayCall } from '../../../lib/data/access.ts';
import { senderName } from '../../../lib/text/event-words.ts';
import {
  appText,
  deviceWords,
  type Installation,
  tokenState,
  tokenWords,
} from '../../../lib/text/installation-words.ts';
import { type Times, useTimes } from '../../../lib/time/times.ts';
import { t, translated } from '../../../lib/words/words.ts';
import classes from '../people.module.css';
import { HearingFact } from './hearing.tsx';
import { PhoneActions } from './phone-actions.tsx';
import { MotionFact, SensingFact, SensingNote } from './sensing-note.tsx';

interface Props {
  readonly appId: string;
  readonly installation: Installation;
  /** What is done with the phone is in the head of its page. */
  readonly isAlone?: boolean;
}

/** One phone of a person: whether messages reach it, and what its owner has agreed to. */
export function PhoneBlock({ appId, installation, isAlone = false }: Props) {
  const times = useTimes(appId);
  const token = tokenState(installation);
  const { consents = {}, tokenDeadAt, tokenAt, deviceType, deviceModel, objectId } = installation;
  return (
    <Block title={isAlone ? t('Phone') : `${deviceModel ?? deviceWords[deviceType]} ${shortId(objectId)}`}>
      {token === 'dead' && (
        <Alert color="yellow" mb="md" icon={<Icon name="warning" />}>
          {t(
            'Pushes have not reached it since {dateTime}. {sentenceOf} The push address is renewed when the app is opened again.',
            { dateTime: times.dateTime(tokenDeadAt ?? ''), sentenceOf: sentenceOf(installation.tokenDeadReason) },
          )}
        </Alert>
      )}
      <SensingNote installation={installation} times={times} />
      <Facts>
        <SensingFact installation={installation} />
        <MotionFact installation={installation} times={times} />
        <Fact label={t('Push address')}>
          <Badge color={tokenWords[token].color}>{tokenWords[token].label}</Badge>
          {token === 'live' && tokenAt && (
            <span className={classes.soft}>{t('since {date}', { date: times.date(tokenAt) })}</span>
          )}
        </Fact>
        <Fact label={t('App')}>{appText(installation) || t('unknown')}</Fact>
        <TimeFact label={t('Last started')}>{times.dateTime(installation.updatedAt)}</TimeFact>
        {purposes.map(({ name, label }) => (
          <Fact key={name} label={label}>
            {consentText(consents[name], times)}
          </Fact>
        ))}
      </Facts>
      <PhoneDetails appId={appId} installation={installation} isAlone={isAlone} />
    </Block>
  );
}

/** What a developer asks about it. */
function PhoneDetails({ appId, installation, isAlone = false }: Props) {
  const times = useTimes(appId);
  const mayCall = useMayCall();
  const { metadata = {}, channels = [], objectId } = installation;
  return (
    <TechnicalDetails>
      <Facts>
        <Fact label={t('Push type')}>{installation.pushType ? senderName(installation.pushType) : t('unknown')}</Fact>
        <Fact label={t('App identifier')}>{installation.appIdentifier ?? t('unknown')}</Fact>
        {installation.deviceModel && <Fact label={t('Device model')}>{installation.deviceModel}</Fact>}
        <HearingFact appId={appId} installationId={objectId} />
        <Fact label={t('Channels')}>{channels.length > 0 ? channels.join(', ') : t('none')}</Fact>
        <Fact label={t('Language, time zone')}>
          {[installation.localeIdentifier, installation.timeZone].filter(Boolean).join(', ') || t('unknown')}
        </Fact>
        <TimeFact label={t('First registered')}>{times.dateTime(installation.createdAt)}</TimeFact>
        {installation.installationId && (
          <IdFact label="installationId" isWide>
            {installation.installationId}
          </IdFact>
        )}
        <IdFact>{objectId}</IdFact>
        <Fact label={t('Log')}>
          <Group component="span" gap="0 0.9rem" align="stretch">
            {logs
              .filter(({ needs }) => mayCall(needs))
              .map(({ list, label }) => (
                <TextLink key={list} to="/apps/$appId/activity" params={{ appId }} search={{ list, visitor: objectId }}>
                  {label}
                </TextLink>
              ))}
          </Group>
        </Fact>
      </Facts>
      <MetadataBlock metadata={metadata} />
      {!isAlone && <PhoneActions appId={appId} installation={installation} />}
      <ShowRequest appId={appId} request={{ operation: 'getInstallation', params: { objectId } }} />
    </TechnicalDetails>
  );
}

const logs = [
  { list: 'visits', label: t('Visits'), needs: 'listVisits' },
  { list: 'events', label: t('Events'), needs: 'listEvents' },
  { list: 'deliveries', label: t('Deliveries'), needs: 'listDeliveries' },
] as const;

const purposes = [
  { name: 'messages', label: t('Messages') },
  { name: 'analytics', label: t('Analytics') },
  { name: 'identity', label: t('Link to an account') },
] as const;

type Decision = NonNullable<Installation['consents']>['messages'];

function consentText(decision: Decision, times: Times): string {
  if (decision === undefined) return t('the visitor has said nothing');
  const { granted, textVersion, at } = decision;
  const text = textVersion === undefined ? '' : t(', text {textVersion}', { textVersion });
  return t('{hasGranted, select, true {agreed} other {refused}} on {dateTime}{text}', {
    hasGranted: Boolean(granted),
    dateTime: times.dateTime(at),
    text,
  });
}

/** Answers of push services end with or without a full stop. */
const sentenceOf = (reason = ''): string => translated(reason === '' || reason.endsWith('.') ? reason : `${reason}.`);
