import { Badge, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Row, RowButton, RowList } from '../../components/list/row-list.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { ownSessionsQuery } from '../../lib/data/queries.ts';
import { browserWords } from '../../lib/text/browser-words.ts';
import { useServiceTimes } from '../../lib/time/service-times.ts';
import { showAge } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';

const methods: Readonly<Record<string, string>> = {
  password: t('with the password'),
  totp: t('with the password and a code'),
  'recovery code': t('with the password and a recovery code'),
  passkey: t('with a passkey'),
  'single sign-on': t('through your organisation'),
};

/** Where the administrator is signed in. */
export function Sessions() {
  const { data: sessions, error } = useQuery(ownSessionsQuery);
  const refresh = [ownSessionsQuery.queryKey];
  const end = useAction({
    run: (sessionId: string) => call('endOwnSession', { params: { sessionId } }),
    done: t('The session was ended.'),
    refresh,
  });
  const times = useServiceTimes();
  const endOthers = useAction({
    run: () => call('endOtherSessions'),
    done: t('You are signed out everywhere else.'),
    refresh,
  });
  return (
    <Block
      title={t('Where you are signed in')}
      about={t(
        'A browser is signed out after half a day without use, and after a week. End what you do not recognise, and change your password.',
      )}
    >
      <RowList rows={sessions} error={error} label={t('Sessions')}>
        {({ sessionId, current, method, address, userAgent, createdAt, lastUsedAt }) => (
          <Row
            key={sessionId}
            title={
              <>
                {browserWords(userAgent)} {current && <Badge color="teal">{t('This one')}</Badge>}
              </>
            }
            facts={[
              address && t('from {address}', { address }),
              t('signed in {dateTime} {method}', {
                dateTime: times.minute(createdAt),
                method: method && methods[method],
              }),
              t('last used {age}', { age: showAge(lastUsedAt) }),
            ]}
            tools={
              !current && (
                <RowButton
                  label={t('End')}
                  of={t('End the session of {browser}', { browser: browserWords(userAgent) })}
                  isBusy={end.isPending && end.variables === sessionId}
                  onClick={() => end.mutate(sessionId)}
                />
              )
            }
          />
        )}
      </RowList>
      {sessions && sessions.length > 1 && (
        <Button mt="md" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
          {t('End all others')}
        </Button>
      )}
    </Block>
  );
}
