import { Alert, Badge, Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { MetadataBlock } from '../../components/code/code-block.tsx';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ConfirmDialog, Deletion } from '../../components/dialogs/confirm-dialog.tsx';
import { PersonExport } from '../../components/export/person-export.tsx';
import { useOneClick } from '../../components/form/use-one-click.ts';
import { Block, LinkButton, Loading, TechnicalDetails } from '../../components/page/blocks.tsx';
import { Fact, Facts, IdFact, TimeFact } from '../../components/page/facts.tsx';
import { once, RecordPage } from '../../components/page/page-header.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMay } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { eraseUser, erasureReceipt } from '../../lib/data/person.ts';
import { appUserQuery } from '../../lib/data/queries.ts';
import { userName } from '../../lib/text/user-name.ts';
import { useTimes } from '../../lib/time/times.ts';
import type { AppUser } from '../../lib/wire.ts';
import { inSentence, rich, t } from '../../lib/words/words.ts';
import { UserFactors } from './account/user-factors.tsx';
import { UserSessions } from './account/user-sessions.tsx';
import { UserVenues } from './account/user-venues.tsx';
import { useHappened, WhatHappened } from './happened/what-happened.tsx';
import { PhoneBlock } from './phones/phone-block.tsx';
import { phonesOfQuery, userKeys } from './queries.ts';
import { userRoleOptions, userRoleTexts } from './words.ts';

const route = getRouteApi('/signed-in/apps/$appId/users/$userId');

interface Props {
  readonly appId: string;
  readonly user: AppUser;
}

/** A person with an account: who it is, what happened, the phones, and how the account is used. */
export function PersonPage() {
  const { appId, userId } = route.useParams();
  const found = useQuery(phonesOfQuery(appId, userId));
  const phones = found.data?.results ?? [];
  const happened = useHappened({ appId, phones: phones.map(({ objectId }) => objectId) });
  const isPending = found.isPending || happened.isLoading;
  const query = once(useQuery(appUserQuery(appId, userId)), { isPending });
  const mayChange = useMay()('users.change');
  return (
    <RecordPage
      query={query}
      title={(user) => (user ? userName(user) : t('Account'))}
      all={{ label: t('All accounts'), to: '/apps/$appId/users', params: { appId } }}
      action={(user) => mayChange && <Actions appId={appId} user={user} />}
    >
      {(user) => (
        <>
          <UserFacts appId={appId} user={user} />
          <Phones appId={appId} user={user} />
          {mayChange && <Role appId={appId} user={user} />}
          <UserVenues appId={appId} user={user} isLocked={!mayChange} />
          <UserFactors appId={appId} user={user} isLocked={!mayChange} />
          <UserSessions appId={appId} user={user} isLocked={!mayChange} />
        </>
      )}
    </RecordPage>
  );
}

function UserFacts({ appId, user }: Props) {
  const times = useTimes(appId);
  const mayReadAudit = useMay()('audit.read');
  return (
    <Block title={t('Account')} about={t('Times are in {zone}.', { zone: times.zone })}>
      {user.disabledAt && (
        <Alert color="gray" mb="md">
          {t('This account has been off since {dateTime}. It cannot be used to sign in.', {
            dateTime: times.dateTime(user.disabledAt),
          })}
        </Alert>
      )}
      <Facts>
        <Fact label={t('E-mail')} isWide>
          {user.email === '' ? (
            t('none')
          ) : (
            <>
              {user.email}
              <CopyButton text={user.email} label={t('e-mail')} />
              {user.emailVerifiedAt && (
                <Badge color="teal" ml="xs" title={times.dateTime(user.emailVerifiedAt)}>
                  {t('verified')}
                </Badge>
              )}
            </>
          )}
        </Fact>
        <Fact label={t('Signs in with')} isWide>
          {waysText(user)}
        </Fact>
        {user.middlename && <Fact label={t('Middle name')}>{user.middlename}</Fact>}
        <Fact label={t('Country')}>{user.country ?? t('unknown')}</Fact>
        <Fact label={t('Phone')}>{user.phone ?? t('unknown')}</Fact>
        <Fact label={t('Sessions')}>{sessionsText(user, times.date)}</Fact>
        <TimeFact label={t('Signed up')}>{times.dateTime(user.createdAt)}</TimeFact>
      </Facts>
      {mayReadAudit && (
        <Group mt="md">
          <LinkButton to="/audit" params={{}} search={{ appId, about: user.objectId }} icon="list" isPlain>
            {t('What administrators have changed')}
          </LinkButton>
        </Group>
      )}
      <TechnicalDetails>
        <Facts>
          <TimeFact label={t('Changed')}>{times.dateTime(user.updatedAt)}</TimeFact>
          <IdFact>{user.objectId}</IdFact>
        </Facts>
        <MetadataBlock metadata={user.metadata} />
      </TechnicalDetails>
    </Block>
  );
}

function waysText({ hasPassword, identities }: AppUser): string {
  const providers = identities.map(({ provider, issuer }) => provider ?? issuer);
  return [...(hasPassword ? [t('a password')] : []), ...providers].join(', ') || t('nothing at present');
}

function sessionsText({ sessions, lastUsedAt }: AppUser, date: (iso: string) => string): string {
  if (sessions === 0) return t('not signed in');
  const places = String(sessions);
  return lastUsedAt ? t('{places}, last used on {date}', { places, date: date(lastUsedAt) }) : places;
}

function Role({ appId, user }: Props) {
  const { change: save, takeBack } = useUserChange(appId, user);
  const change = useAction<AppUser['role'], object>({
    run: (role) => save({ role }, (now) => now.role === user.role),
    done: (_, role) => t('{name} is now a {role}.', { name: userName(user), role: inSentence(userRoleTexts[role]) }),
    undo: (changed) => takeBack(changed, { role: user.role }),
    refresh: userKeys(appId),
  });
  return (
    <Block
      title={t('Role')}
      about={t(
        'In the app, a manager may do what the rules allow managers to do, such as sending pushes. Only administrators can use the console.',
      )}
    >
      <SegmentedControl
        aria-label={t('Role')}
        data={userRoleOptions}
        value={change.isPending ? change.variables : user.role}
        onChange={(role) => !change.isPending && change.mutate(role as AppUser['role'])}
      />
    </Block>
  );
}

function Phones({ appId, user }: Props) {
  const { data, error } = useQuery(phonesOfQuery(appId, user.objectId));
  const phones = data?.results;
  return (
    <>
      <Loading data={data} error={error} height={200} />
      {phones && <WhatHappened appId={appId} phones={phones.map(({ objectId }) => objectId)} />}
      {phones?.map((installation) => (
        <PhoneBlock key={installation.objectId} appId={appId} installation={installation} />
      ))}
      {phones?.length === 0 && (
        <Block title={t('Phones')}>
          <Text c="dimmed">{t('None. The app has not linked a phone to this person.')}</Text>
        </Block>
      )}
    </>
  );
}

function Actions({ appId, user }: Props) {
  const [isSwitching, setSwitching] = useState(false);
  const isOff = user.disabledAt !== undefined;
  const { change: save, takeBack } = useUserChange(appId, user);
  const change = useAction<boolean, object>({
    run: (disabled) => save({ disabled }, (now) => (now.disabledAt !== undefined) === isOff),
    done: (_, disabled) =>
      t('The account of {userName} is {hasDisabled, select, true {off} other {on}}.', {
        userName: userName(user),
        hasDisabled: Boolean(disabled),
      }),
    undo: (changed, disabled) => takeBack(changed, { disabled: !disabled }),
    refresh: userKeys(appId),
    after: () => setSwitching(false),
  });
  return (
    <Group gap="xs">
      <EraseUser appId={appId} user={user} />
      <PersonExport appId={appId} kind="user" objectId={user.objectId} />
      <Button loading={change.isPending} onClick={() => (isOff ? change.mutate(false) : setSwitching(true))}>
        {isOff ? t('Switch on') : t('Switch off')}
      </Button>
      <ConfirmDialog
        isOpen={isSwitching}
        onClose={() => setSwitching(false)}
        title={t('Switch the account off')}
        confirm={t('Switch off')}
        isBusy={change.isPending}
        failure={change.error?.message}
        onConfirm={() => change.mutate(true)}
      >
        {rich(
          '<b>{userName}</b> is signed out everywhere at once and cannot sign in until you switch the account on again.',
          { userName: userName(user) },
        )}
      </ConfirmDialog>
    </Group>
  );
}

function EraseUser({ appId, user }: Props) {
  return (
    <Deletion
      label={t('Erase')}
      title={t('Erase the user')}
      confirm={t('Erase {userName}', { userName: userName(user) })}
      run={() => eraseUser(appId, user.objectId)}
      done={t('{userName} was erased.', { userName: userName(user) })}
      more={erasureReceipt(appId)}
      refresh={userKeys(appId)}
      leave={{ to: '/apps/$appId/users', params: { appId }, forget: appUserQuery(appId, user.objectId).queryKey }}
      cutOff={{
        key: `erase user ${user.objectId}`,
        before: () => call('checkConfirmation'),
        message: t(
          'Erasing {userName} was interrupted when the page was reloaded. The account still exists, with the phones listed here. Erase it again to finish.',
          { userName: userName(user) },
        ),
      }}
    >
      {rich(
        'The account of <b>{userName}</b> {email}is erased permanently, with this person’s phones, the record of where they were, and the records, files and pushes that they made. What a manager made stays, without the name. Check records that others made for personal data.',
        { userName: userName(user), email: user.email && `(${user.email}) ` },
      )}
    </Deletion>
  );
}

type Change = { readonly role: AppUser['role'] } | { readonly disabled: boolean };

/** Changes a user with one click, unless somebody else has changed the same since the page was read. */
export function useUserChange(appId: string, user: AppUser) {
  const params = { appId, userId: user.objectId };
  return useOneClick<AppUser, Change>({
    name: userName(user),
    read: async () => (await call('getAppUser', { params })).result,
    send: async (body, ifMatch) => (await call('changeAppUser', { params, body, ifMatch })).result,
    refresh: userKeys(appId),
  });
}
