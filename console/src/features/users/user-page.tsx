import { Alert, Badge, Button, Checkbox, Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { Icon } from '../../components/page/icon.tsx';
import { shortId } from '../../components/page/names.tsx';
import { RecordPage } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { download, exportCutOff } from '../../lib/data/all-records.ts';
import { call } from '../../lib/data/api.ts';
import { deviceWords, tokenState, tokenWords } from '../../lib/text/installation-words.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { AppUser } from '../../lib/wire.ts';
import { eraseUser, everythingOfUser, installationsQuery, userKeys, userQuery } from './queries.ts';
import classes from './users.module.css';
import { roleOptions, roleWords } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/users/$userId');

interface Props {
  readonly appId: string;
  readonly user: AppUser;
}

const nameOf = ({ firstname, lastname }: AppUser) => `${firstname} ${lastname}`;

export function UserPage() {
  const { appId, userId } = route.useParams();
  const query = useQuery(userQuery(appId, userId));
  const mayChange = useMay()('users.change');
  return (
    <RecordPage
      query={query}
      title={(user) => (user ? nameOf(user) : 'User')}
      all={{ label: 'All users', to: '/apps/$appId/users', params: { appId } }}
      action={(user) => mayChange && <Actions appId={appId} user={user} />}
    >
      {(user) => (
        <>
          <UserFacts appId={appId} user={user} />
          {mayChange && <Role appId={appId} user={user} />}
          <Installations appId={appId} user={user} />
        </>
      )}
    </RecordPage>
  );
}

function UserFacts({ appId, user }: Props) {
  const times = useTimes(appId);
  return (
    <Block title="Facts" about={`Times are in ${times.zone}.`}>
      {user.disabledAt && (
        <Alert color="gray" variant="light" mb="md">
          This account is off since {times.dateTime(user.disabledAt)}. Nobody can sign in with it.
        </Alert>
      )}
      <Facts>
        <Fact label="E-mail" isWide>
          {user.email}
          <CopyButton text={user.email} label="e-mail" />
        </Fact>
        {user.middlename && <Fact label="Middle name">{user.middlename}</Fact>}
        <Fact label="Country">{user.country ?? 'not told'}</Fact>
        <Fact label="Phone">{user.phone ?? 'not told'}</Fact>
        <Fact label="Signed in">{sessionsText(user, times.date)}</Fact>
        <Fact label="Signed up" isTime>
          {times.dateTime(user.createdAt)}
        </Fact>
        <Fact label="Changed" isTime>
          {times.dateTime(user.updatedAt)}
        </Fact>
        <Fact label="objectId">
          <span className="mono">{user.objectId}</span>
          <CopyButton text={user.objectId} label="objectId" />
        </Fact>
      </Facts>
      {Object.keys(user.metadata).length > 0 && (
        <pre className={classes.json}>{JSON.stringify(user.metadata, null, 2)}</pre>
      )}
    </Block>
  );
}

function sessionsText({ sessions, lastUsedAt }: AppUser, date: (iso: string) => string): string {
  if (sessions === 0) return 'nowhere';
  const places = sessions === 1 ? 'once' : `${sessions} times`;
  return lastUsedAt ? `${places}, last used on ${date(lastUsedAt)}` : places;
}

function Role({ appId, user }: Props) {
  const change = useAction<AppUser['role']>({
    run: (role) => call('changeAppUser', { params: { appId, userId: user.objectId }, body: { role } }),
    done: (_, role) => `${nameOf(user)} is a ${roleWords[role].toLowerCase()} now.`,
    refresh: userKeys(appId),
  });
  return (
    <Block
      title="Role"
      about="A manager may do in the app what the rules allow to managers, such as sending pushes. The console is for administrators alone."
    >
      <SegmentedControl
        aria-label="Role"
        data={roleOptions}
        value={change.isPending ? change.variables : user.role}
        disabled={change.isPending}
        onChange={(role) => change.mutate(role as AppUser['role'])}
      />
    </Block>
  );
}

function Installations({ appId, user }: Props) {
  const { data, error } = useQuery(installationsQuery(appId, user.objectId));
  const times = useTimes(appId);
  return (
    <Block title="Installations" about="The phones and browsers in which this person uses the app.">
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={70} />}
      {data?.results.length === 0 && (
        <Text c="dimmed" size="sm">
          None. The app has not told that an installation belongs to this person.
        </Text>
      )}
      {data && data.results.length > 0 && (
        <ul className={blocks.rows}>
          {data.results.map((one) => {
            const token = tokenWords[tokenState(one)];
            return (
              <li key={one.objectId}>
                <Link
                  to="/apps/$appId/installations/$installationId"
                  params={{ appId, installationId: one.objectId }}
                  className={`${blocks.row} ${blocks.link}`}
                >
                  <span className={blocks.grow}>
                    <span className={blocks.title}>
                      {deviceWords[one.deviceType]} <span className="mono">{shortId(one.objectId)}</span>
                    </span>
                    <span className={blocks.meta}>Last started {times.dateTime(one.updatedAt)}</span>
                  </span>
                  <Badge variant="light" color={token.color} tt="none">
                    push {token.label}
                  </Badge>
                  <span className={blocks.chevron}>
                    <Icon name="next" />
                  </span>
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </Block>
  );
}

function Actions({ appId, user }: Props) {
  const [isSwitching, setSwitching] = useState(false);
  const [isErasing, setErasing] = useState(false);
  const isOff = user.disabledAt !== undefined;
  const change = useAction<boolean>({
    run: (disabled) => call('changeAppUser', { params: { appId, userId: user.objectId }, body: { disabled } }),
    done: (_, disabled) => `The account of ${nameOf(user)} is ${disabled ? 'off' : 'on'}.`,
    refresh: userKeys(appId),
    after: () => setSwitching(false),
  });
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<Icon name="trash" size={16} />} onClick={() => setErasing(true)}>
        Erase
      </Button>
      <ExportPerson appId={appId} user={user} />
      <Button
        variant="default"
        loading={change.isPending}
        onClick={() => (isOff ? change.mutate(false) : setSwitching(true))}
      >
        {isOff ? 'Switch on' : 'Switch off'}
      </Button>
      <ConfirmDialog
        isOpen={isSwitching}
        onClose={() => setSwitching(false)}
        title="Switch the account off"
        confirm="Switch off"
        isBusy={change.isPending}
        failure={change.error?.message}
        onConfirm={() => change.mutate(true)}
      >
        <b>{nameOf(user)}</b> is signed out everywhere at once and cannot sign in, until you switch the account on
        again.
      </ConfirmDialog>
      <EraseUser appId={appId} user={user} isOpen={isErasing} onClose={() => setErasing(false)} />
    </Group>
  );
}

function ExportPerson({ appId, user }: Props) {
  const [read, setRead] = useState(0);
  const file = `user-${user.objectId}.json`;
  const run = useAction({
    run: async () => {
      const everything = await everythingOfUser(appId, user.objectId, setRead);
      download(file, 'application/json', [JSON.stringify(everything, null, 2)]);
    },
    cutOff: exportCutOff(`user ${user.objectId}`, file),
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

interface EraseProps extends Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function EraseUser({ appId, user, isOpen, onClose }: EraseProps) {
  const { data } = useQuery(installationsQuery(appId, user.objectId));
  const [withInstallations, setWithInstallations] = useState(true);
  const navigate = useNavigate();
  const queries = useQueryClient();
  const count = data?.count ?? 0;
  const erase = useAction({
    run: () => eraseUser(appId, user.objectId, withInstallations && count > 0),
    cutOff: {
      key: `erase user ${user.objectId}`,
      message: `Erasing ${nameOf(user)} was cut off when the page was loaded again. The account is still there, with the installations that are listed. Erase it once more to finish.`,
    },
    done: `${nameOf(user)} is erased.`,
    showsError: true,
    after: async () => {
      await navigate({ to: '/apps/$appId/users', params: { appId } });
      queries.removeQueries({ queryKey: userQuery(appId, user.objectId).queryKey });
      await Promise.all(userKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Erase the user"
      confirm={`Erase ${nameOf(user)}`}
      isBusy={erase.isPending}
      failure={erase.error?.message}
      onConfirm={() => erase.mutate()}
    >
      The account of <b>{nameOf(user)}</b> ({user.email}) goes for good, and with it where this person was. Records in
      buckets and uploaded files stay; they may have to be looked through.
      {count > 0 && (
        <Checkbox
          mt="md"
          label={`Erase ${count === 1 ? 'the installation' : `the ${count} installations`} too`}
          description="Otherwise they stay, belong to nobody, and receive pushes to everyone."
          checked={withInstallations}
          onChange={({ currentTarget }) => setWithInstallations(currentTarget.checked)}
        />
      )}
    </ConfirmDialog>
  );
}
