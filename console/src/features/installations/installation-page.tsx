import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/block.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { Icon } from '../../components/page/icon.tsx';
import names from '../../components/page/names.module.css';
import { shortId } from '../../components/page/names.tsx';
import { RecordPage } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { download, exportCutOff } from '../../lib/data/all-records.ts';
import { dataOf } from '../../lib/data/api.ts';
import { senderName } from '../../lib/text/delivery-words.ts';
import { appText, deviceWords, type Installation, tokenState, tokenWords } from '../../lib/text/installation-words.ts';
import { useTimes } from '../../lib/time/times.ts';
import classes from './installations.module.css';
import { everythingOf, installationKeys, installationQuery } from './queries.ts';
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
          'Installation'
        )
      }
      all={{ label: 'All installations', to: '/apps/$appId/installations', params: { appId } }}
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
  const { metadata = {}, channels = [], userId, tokenDeadAt, tokenAt } = installation;
  return (
    <Block title="Facts" about={`Times are in ${times.zone}.`}>
      {token === 'dead' && (
        <Alert color="yellow" variant="light" mb="md" icon={<Icon name="warning" />}>
          No push reaches it since {times.dateTime(tokenDeadAt ?? '')}. {sentenceOf(installation.tokenDeadReason)} It
          heals when the app is opened again.
        </Alert>
      )}
      <Facts>
        <Fact label="Push address">
          <Badge variant="light" color={tokenWords[token].color} tt="none">
            {tokenWords[token].label}
          </Badge>
          {token === 'live' && tokenAt && <span className={classes.soft}>since {times.date(tokenAt)}</span>}
        </Fact>
        <Fact label="Push type">{installation.pushType ? senderName(installation.pushType) : 'not told'}</Fact>
        <Fact label="App">{appText(installation) || 'not told'}</Fact>
        <Fact label="App identifier">{installation.appIdentifier ?? 'not told'}</Fact>
        <Fact label="Channels">{channels.length > 0 ? channels.join(', ') : 'none'}</Fact>
        <Fact label="Language, time zone">
          {[installation.localeIdentifier, installation.timeZone].filter(Boolean).join(', ') || 'not told'}
        </Fact>
        {userId && (
          <Fact label="User">
            <Link to="/apps/$appId/users/$userId" params={{ appId, userId: userId.objectId }} className={names.link}>
              <span className="mono">{shortId(userId.objectId)}</span>
            </Link>
          </Fact>
        )}
        <Fact label="First registered" isTime>
          {times.dateTime(installation.createdAt)}
        </Fact>
        <Fact label="Last started" isTime>
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
      {Object.keys(metadata).length > 0 && <pre className={classes.json}>{JSON.stringify(metadata, null, 2)}</pre>}
    </Block>
  );
}

/** What push services answer ends with a full stop or without. */
const sentenceOf = (reason = ''): string => (reason === '' || reason.endsWith('.') ? reason : `${reason}.`);

function Actions({ appId, installation }: Props) {
  const mayCall = useMayCall();
  const [isTesting, setTesting] = useState(false);
  const [isErasing, setErasing] = useState(false);
  return (
    <Group gap="xs">
      {mayCall('deleteInstallation') && (
        <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => setErasing(true)}>
          Erase
        </Button>
      )}
      {mayCall('deleteInstallation') && <ExportEverything appId={appId} installation={installation} />}
      {mayCall('sendPush') && (
        <Button leftSection={<Icon name="send" size={16} />} onClick={() => setTesting(true)}>
          Send a test message
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

function ExportEverything({ appId, installation }: Props) {
  const [read, setRead] = useState(0);
  const file = `installation-${installation.objectId}.json`;
  const run = useAction({
    run: async () => {
      const everything = await everythingOf(appId, installation.objectId, setRead);
      download(file, 'application/json', [JSON.stringify(everything, null, 2)]);
    },
    cutOff: exportCutOff(`installation ${installation.objectId}`, file),
    done: `Everything that is known is in ${file}.`,
    after: () => setRead(0),
  });
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      loading={run.isPending && read === 0}
      disabled={run.isPending}
      onClick={() => run.mutate()}
    >
      {read > 0 ? `${read.toLocaleString('en')} …` : 'Export'}
    </Button>
  );
}

interface DialogProps extends Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function EraseInstallation({ appId, installation, isOpen, onClose }: DialogProps) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const name = `${deviceWords[installation.deviceType]} ${shortId(installation.objectId)}`;
  const erase = useAction({
    run: () => dataOf(appId).installations.delete(installation.objectId),
    done: `${name} is erased.`,
    showsError: true,
    after: async () => {
      await navigate({ to: '/apps/$appId/installations', params: { appId } });
      queries.removeQueries({ queryKey: installationQuery(appId, installation.objectId).queryKey });
      await Promise.all(installationKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Erase the installation"
      confirm={`Erase ${name}`}
      isBusy={erase.isPending}
      failure={erase.error?.message}
      onConfirm={() => erase.mutate()}
    >
      <b>{name}</b> goes for good, with its visits, events, log records and deliveries.
      <Text size="sm" mt="xs">
        If the app is still on the phone, it registers anew at its next start, as an installation that nothing is known
        of.
      </Text>
    </ConfirmDialog>
  );
}
