import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Row, RowButton, RowList } from '../../../components/list/row-list.tsx';
import { Block } from '../../../components/page/blocks.tsx';
import { useAction } from '../../../lib/actions/use-action.ts';
import { call } from '../../../lib/data/api.ts';
import { clientWords } from '../../../lib/text/browser-words.ts';
import { useTimes } from '../../../lib/time/times.ts';
import type { AppUser, Operations } from '../../../lib/wire.ts';
import { t } from '../../../lib/words/words.ts';
import { sessionsQuery, userKeys } from '../queries.ts';

interface Props {
  readonly appId: string;
  readonly user: AppUser;
  readonly isLocked: boolean;
}

type Session = Operations['listAppUserSessions']['answer']['results'][number];

/** The service lists no more. */
const maxListed = 100;

/** Where a user is signed in, how, and with how many factors. */
export function UserSessions({ appId, user, isLocked }: Props) {
  const params = { appId, userId: user.objectId };
  const { data: sessions, error } = useQuery(sessionsQuery(appId, user.objectId));
  const times = useTimes(appId);
  const end = useAction({
    run: ({ objectId }: Session) => call('endAppUserSession', { params: { ...params, sessionId: objectId } }),
    done: t('The session was ended.'),
    refresh: userKeys(appId),
  });
  return (
    <Block
      title={t('Sessions')}
      about={t('Where this person is signed in. Ending a session signs that phone or browser out at once.')}
    >
      <RowList
        rows={sessions}
        error={error}
        label={t('Sessions')}
        empty={<Text c="dimmed">{t('None: this person is not signed in anywhere.')}</Text>}
      >
        {(session) => (
          <Row
            key={session.objectId}
            title={
              <>
                {clientWords(session.userAgent)}{' '}
                <Badge color={session.hasSecondFactor ? 'teal' : 'gray'}>
                  {session.hasSecondFactor ? t('Two factors') : t('One factor')}
                </Badge>
              </>
            }
            facts={[
              wayWords(session),
              t('since {date}', { date: times.minute(session.createdAt) }),
              t('last used on {date}', { date: times.date(session.lastUsedAt) }),
            ]}
            tools={
              !isLocked && (
                <RowButton
                  label={t('End')}
                  of={t('End the session of {browser}', { browser: clientWords(session.userAgent) })}
                  isBusy={end.isPending && end.variables?.objectId === session.objectId}
                  onClick={() => end.mutate(session)}
                />
              )
            }
          />
        )}
      </RowList>
      {sessions && sessions.length >= maxListed && user.sessions > sessions.length && (
        <Text c="dimmed" mt="md">
          {t('The newest {count} of {all} are shown.', { count: sessions.length, all: user.sessions })}
        </Text>
      )}
    </Block>
  );
}

/** `with the password and a second factor` */
function wayWords({ method, provider, hasSecondFactor }: Session): string {
  if (method === 'passkey') return t('with a passkey, which is two factors');
  if (method === 'password')
    return hasSecondFactor ? t('with the password and a second factor') : t('with the password alone');
  if (method === 'mailLink')
    return hasSecondFactor ? t('with a link in a mail and a second factor') : t('with a link in a mail alone');
  if (method === 'identityProvider') {
    const name = provider ?? t('an identity provider');
    return hasSecondFactor
      ? t('through {name} and with a second factor', { name })
      : t('through {name}, without a second factor of this app', { name });
  }
  return t('in a way that was not noted');
}
