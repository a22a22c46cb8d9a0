import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmedAction } from '../../../components/dialogs/confirm-dialog.tsx';
import { Row, RowButton, RowList } from '../../../components/list/row-list.tsx';
import { Block } from '../../../components/page/blocks.tsx';
import { call } from '../../../lib/data/api.ts';
import { appQuery } from '../../../lib/data/queries.ts';
import { userName } from '../../../lib/text/user-name.ts';
import { useTimes } from '../../../lib/time/times.ts';
import type { AppUser, Operations } from '../../../lib/wire.ts';
import { rich, t } from '../../../lib/words/words.ts';
import { factorsQuery, userKeys } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly user: AppUser;
  readonly isLocked: boolean;
}

type Passkey = Operations['listAppUserPasskeys']['answer']['results'][number];
/** What is about to be removed. */
type Lost = 'app' | 'all' | Passkey;

/** One line: the authenticator app, or a passkey. */
interface Line {
  readonly key: string;
  readonly title: ReactNode;
  readonly facts: readonly string[];
  readonly remove: string;
  readonly lost: Lost;
}

/** What a user proves in addition to a password or instead of it, and how to help somebody who has lost it. */
export function UserFactors({ appId, user, isLocked }: Props) {
  const { data, error } = useQuery(factorsQuery(appId, user.objectId));
  const times = useTimes(appId);
  const [lost, setLost] = useState<Lost>();
  const lines: readonly Line[] | undefined = data && [
    ...(data.totp
      ? [
          {
            key: 'app',
            title: (
              <>
                {t('Authenticator app')} <Badge color="teal">{t('On')}</Badge>
              </>
            ),
            facts: [
              t('since {date}', { date: times.date(data.totp.since) }),
              t(
                '{count, plural, =0 {no recovery codes left} one {one recovery code left} other {{count} recovery codes left}}',
                {
                  count: data.recoveryCodesLeft,
                },
              ),
            ],
            remove: t('Remove the authenticator app'),
            lost: 'app',
          } as const,
        ]
      : []),
    ...data.passkeys.map((passkey) => ({
      key: passkey.objectId,
      title: t('Passkey {name}', { name: passkey.name }),
      facts: [
        t('added {date}', { date: times.date(passkey.createdAt) }),
        passkey.lastUsedAt ? t('last used on {date}', { date: times.date(passkey.lastUsedAt) }) : t('not used yet'),
        passkey.synced ? t('synced between devices') : t('on one device'),
      ],
      remove: t('Remove {name}', { name: passkey.name }),
      lost: passkey,
    })),
  ];
  return (
    <Block
      title={t('Second factor and passkeys')}
      about={t('What this person proves beside the password, or instead of it.')}
    >
      <RowList
        rows={lines}
        error={error}
        label={t('Second factor and passkeys')}
        empty={<Text c="dimmed">{t('Neither an authenticator app nor a passkey is set up.')}</Text>}
      >
        {(line) => (
          <Row
            key={line.key}
            title={line.title}
            facts={line.facts}
            tools={!isLocked && <RowButton label={t('Remove')} of={line.remove} onClick={() => setLost(line.lost)} />}
          />
        )}
      </RowList>
      {!isLocked && lines && lines.length > 1 && (
        <Group mt="md">
          <Button onClick={() => setLost('all')}>{t('Remove all of them')}</Button>
        </Group>
      )}
      <RemoveDialog appId={appId} user={user} lost={lost} onClose={() => setLost(undefined)} />
    </Block>
  );
}

interface DialogProps {
  readonly appId: string;
  readonly user: AppUser;
  readonly lost: Lost | undefined;
  readonly onClose: () => void;
}

/** For somebody who has lost the phone. What is removed cannot be restored: its secret is on that phone. */
function RemoveDialog({ appId, user, lost, onClose }: DialogProps) {
  const { data: app } = useQuery(appQuery(appId));
  const params = { appId, userId: user.objectId };
  const name = userName(user);
  const isRequired = app?.policy.totp === 'required' && (lost === 'app' || lost === 'all');
  const texts = textsOf(lost);
  return (
    <ConfirmedAction
      isOpen={lost !== undefined}
      onClose={onClose}
      title={texts.title}
      confirm={texts.confirm}
      run={async () => {
        if (lost === 'app') return call('removeAppUserTotp', { params });
        if (lost === 'all') return call('resetAppUserFactors', { params });
        return lost && call('removeAppUserPasskey', { params: { ...params, passkeyId: lost.objectId } });
      }}
      done={texts.done}
      refresh={userKeys(appId)}
    >
      <p>{texts.what}</p>
      <p>
        {rich(
          '<b>{name}</b> is signed out everywhere at once, and is told by mail if the account has an address. This cannot be undone: only the person can set it up again.',
          { name },
        )}
      </p>
      {isRequired && <p>{t('This app asks everybody for a second factor: the next sign-in sets up a new one.')}</p>}
      <p>
        {t(
          'Make sure first that it is this person who asks. Whoever wants to take over the account would ask for the same.',
        )}
      </p>
    </ConfirmedAction>
  );
}

function textsOf(lost: Lost | undefined) {
  if (lost === 'app')
    return {
      title: t('Remove the authenticator app'),
      confirm: t('Remove the app'),
      done: t('The authenticator app was removed.'),
      what: t('Its codes and the recovery codes no longer work.'),
    };
  if (lost === 'all')
    return {
      title: t('Remove the second factor and all passkeys'),
      confirm: t('Remove all of them'),
      done: t('The second factor and the passkeys were removed.'),
      what: t('The authenticator app, the recovery codes and all passkeys no longer work.'),
    };
  return {
    title: t('Remove the passkey'),
    confirm: t('Remove the passkey'),
    done: t('The passkey was removed.'),
    what: t('{name} no longer signs anybody in.', { name: lost?.name ?? '' }),
  };
}
