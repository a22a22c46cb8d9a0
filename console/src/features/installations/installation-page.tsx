import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { MetadataBlock } from '../../components/code/code-block.tsx';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { PersonExport } from '../../components/export/person-export.tsx';
import names from '../../components/names/names.module.css';
import { shortId } from '../../components/names/names.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { DeleteButton, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { eraseInstallation, erasureReceipt } from '../../lib/data/person.ts';
import { senderName } from '../../lib/text/delivery-words.ts';
import { appText, deviceWords, type Installation, tokenState, tokenWords } from '../../lib/text/installation-words.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { told } from '../../lib/words/service-words.ts';
import { rich, t } from '../../lib/words/words.ts';
import { HearingFact } from './hearing.tsx';
import classes from './installations.module.css';
import { installationKeys, installationQuery } from './queries.ts';
import { TestMessage } from './test-message.tsx';
import { Traces } from './traces.tsx';

const route = getRouteApi('/signed-in/apps/$appId/installations/$installationId');

export function InstallationPage() {
  const { appId, installationId } = route.useParams();
  const query = useQuery(installationQuery(appId, installationId));
  return (
    <RecordPage
      query={query}
      title={(installation) =>
        installation ? (
          <>
            {deviceWords[installation.deviceType]} <span className="mono">{shortId(installationId)}</span>
          </>
        ) : (
          t('Installation')
        )
      }
      all={{ label: t('All installations'), to: '/apps/$appId/installations', params: { appId } }}
      action={(installation) => <Actions appId={appId} installation={installation} />}
    >
      {(installation) => (
        <>
          <InstallationFacts appId={appId} installation={installation} />
          <Traces appId={appId} installationId={installationId} />
          <Group justify="flex-end" mt="xs">
            <ShowRequest
              appId={appId}
              request={{ operation: 'getInstallation', params: { objectId: installationId } }}
            />
          </Group>
        </>
      )}
    </RecordPage>
  );
}

interface Props {
  readonly appId: string;
  readonly installation: Installation;
}

function InstallationFacts({ appId, installation }: Props) {
  const times = useTimes(appId);
  const token = tokenState(installation);
  const { metadata = {}, channels = [], consents = {}, userId, tokenDeadAt, tokenAt } = installation;
  return (
    <Block title={t('Facts')} about={t('Times are in {zone}.', { zone: times.zone })}>
      {token === 'dead' && (
        <Alert color="yellow" variant="light" mb="md" icon={<Icon name="warning" />}>
          {t(
            'Pushes have not reached it since {dateTime}. {sentenceOf} The push address is renewed when the app is opened again.',
            { dateTime: times.dateTime(tokenDeadAt ?? ''), sentenceOf: sentenceOf(installation.tokenDeadReason) },
          )}
        </Alert>
      )}
      <Facts>
        <Fact label={t('Push address')}>
          <Badge variant="light" color={tokenWords[token].color} tt="none">
            {tokenWords[token].label}
          </Badge>
          {token === 'live' && tokenAt && (
            <span className={classes.soft}>{t('since {date}', { date: times.date(tokenAt) })}</span>
          )}
        </Fact>
        <Fact label={t('Push type')}>{installation.pushType ? senderName(installation.pushType) : t('unknown')}</Fact>
        <Fact label={t('App')}>{appText(installation) || t('unknown')}</Fact>
        <Fact label={t('App identifier')}>{installation.appIdentifier ?? t('unknown')}</Fact>
        {installation.deviceModel && <Fact label={t('Device model')}>{installation.deviceModel}</Fact>}
        <HearingFact appId={appId} installationId={installation.objectId} />
        <Fact label={t('Channels')}>{channels.length > 0 ? channels.join(', ') : t('none')}</Fact>
        <Fact label={t('Language, time zone')}>
          {[installation.localeIdentifier, installation.timeZone].filter(Boolean).join(', ') || t('unknown')}
        </Fact>
        {userId && (
          <Fact label={t('User')}>
            <Link to="/apps/$appId/users/$userId" params={{ appId, userId: userId.objectId }} className={names.link}>
              <span className="mono">{shortId(userId.objectId)}</span>
            </Link>
          </Fact>
        )}
        {purposes.map(({ name, label }) => (
          <Fact key={name} label={label}>
            {consentText(consents[name], times)}
          </Fact>
        ))}
        <Fact label={t('First registered')} isTime>
          {times.dateTime(installation.createdAt)}
        </Fact>
        <Fact label={t('Last started')} isTime>
          {times.dateTime(installation.updatedAt)}
        </Fact>
        {installation.installationId && (
          <Fact label="installationId" isWide>
            <span className="mono">{installation.installationId}</span>
            <CopyButton text={installation.installationId} label="installationId" />
          </Fact>
        )}
        <Fact label="objectId">
          <span className="mono">{installation.objectId}</span>
          <CopyButton text={installation.objectId} label="objectId" />
        </Fact>
      </Facts>
      <MetadataBlock metadata={metadata} />
    </Block>
  );
}

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
const sentenceOf = (reason = ''): string => told(reason === '' || reason.endsWith('.') ? reason : `${reason}.`);

function Actions({ appId, installation }: Props) {
  const mayCall = useMayCall();
  const [isTesting, setTesting] = useState(false);
  const [isErasing, setErasing] = useState(false);
  return (
    <Group gap="xs">
      {mayCall('deleteInstallation') && <DeleteButton onClick={() => setErasing(true)}>{t('Erase')}</DeleteButton>}
      {mayCall('deleteInstallation') && (
        <PersonExport appId={appId} kind="installation" objectId={installation.objectId} />
      )}
      {mayCall('sendPush') && (
        <Button leftSection={<Icon name="send" size={16} />} onClick={() => setTesting(true)}>
          {t('Send a test message')}
        </Button>
      )}
      <TestMessage appId={appId} installation={installation} isOpen={isTesting} onClose={() => setTesting(false)} />
      <EraseInstallation
        appId={appId}
        installation={installation}
        isOpen={isErasing}
        onClose={() => setErasing(false)}
      />
    </Group>
  );
}

interface DialogProps extends Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function EraseInstallation({ appId, installation, isOpen, onClose }: DialogProps) {
  const name = `${deviceWords[installation.deviceType]} ${shortId(installation.objectId)}`;
  const forget = installationQuery(appId, installation.objectId).queryKey;
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title={t('Erase the installation')}
      confirm={t('Erase {name}', { name })}
      run={() => eraseInstallation(appId, installation.objectId)}
      done={t('{name} was erased.', { name })}
      more={erasureReceipt(appId)}
      refresh={installationKeys(appId)}
      leave={{ to: '/apps/$appId/installations', params: { appId }, forget }}
    >
      {rich('<b>{name}</b> is erased permanently, with its visits, events, log records and deliveries.', {
        name,
        b: (inner) => <b>{inner}</b>,
      })}
      <Text size="sm" mt="xs">
        {t('If the app is still on the phone, it registers again at its next start, as a new installation.')}
      </Text>
    </ConfirmedAction>
  );
}
