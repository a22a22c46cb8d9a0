import { Badge, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RowList } from '../../components/list/row-list.tsx';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { ownSessionsQuery } from '../../lib/data/queries.ts';
import { browserWords } from '../../lib/text/browser-words.ts';
import { showAge, showDateTime } from '../../lib/time/time.ts';

const methods: Readonly<Record<string, string>> = {
  password: 'with the password',
  totp: 'with the password and a code',
  'recovery code': 'with the password and a recovery code',
  passkey: 'with a passkey',
  'single sign-on': 'through your organisation',
};

/** Where the administrator is signed in. */
export function Sessions() {
  const { data: sessions, error } = useQuery(ownSessionsQuery);
  const refresh = [ownSessionsQuery.queryKey];
  const end = useAction({
    run: (sessionId: string) => call('endOwnSession', { params: { sessionId } }),
    done: 'The session was ended.',
    refresh,
  });
  const endOthers = useAction({
    run: () => call('endOtherSessions'),
    done: 'You are signed out everywhere else.',
    refresh,
  });
  return (
    <Block
      title="Where you are signed in"
      about="A browser is signed out after half a day without use, and after a week. End what you do not recognise, and change your password."
    >
      <RowList rows={sessions} error={error} label="Sessions">
        {({ sessionId, current, method, address, userAgent, createdAt, lastUsedAt }) => (
          <li key={sessionId} className={`${blocks.row} ${blocks.stacking}`}>
            <div className={blocks.grow}>
              <div className={blocks.title}>
                {browserWords(userAgent)}{' '}
                {current && (
                  <Badge color="teal" variant="light">
                    This one
                  </Badge>
                )}
              </div>
              <div className={blocks.meta}>
                {address && <span>from {address}</span>}
                <span>
                  signed in {showDateTime(createdAt)} {method && methods[method]}
                </span>
                <span>last used {showAge(lastUsedAt)}</span>
              </div>
            </div>
            {!current && (
              <div className={blocks.tools}>
                <Button
                  variant="default"
                  size="xs"
                  loading={end.isPending && end.variables === sessionId}
                  aria-label={`End the session of ${browserWords(userAgent)}`}
                  onClick={() => end.mutate(sessionId)}
                >
                  End
                </Button>
              </div>
            )}
          </li>
        )}
      </RowList>
      {sessions && sessions.length > 1 && (
        <Button variant="default" mt="md" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
          End all others
        </Button>
      )}
    </Block>
  );
}
