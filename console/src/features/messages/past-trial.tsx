import { Button, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FailureNote } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { reasonWords } from '../../lib/text/event-words.ts';
import type { Operations } from '../../lib/wire.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';

type Draft = Operations['beginReplay']['body']['draft'];

interface Props {
  readonly appId: string;
  /** The message that it is compared with. */
  readonly triggerId?: string | undefined;
  readonly draft: Draft;
}

const askEveryMs = 1_000;

/** What a message would have sent to the visitors of the last 30 days. Nothing is sent. */
export function PastTrial({ appId, triggerId, draft }: Props) {
  const mayTry = useMayCall()('simulateSightings');
  const { data: asked, error: refused } = useQuery({
    queryKey: ['apps', appId, 'replays', triggerId, draft],
    queryFn: async () =>
      (await call('beginReplay', { params: { appId }, body: { ...(triggerId ? { triggerId } : {}), draft } })).result,
    enabled: mayTry,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const objectId = asked?.objectId ?? '';
  const { data: replay, error } = useQuery({
    queryKey: ['apps', appId, 'replays', objectId],
    queryFn: async () => (await call('getReplay', { params: { appId, objectId } })).result,
    enabled: asked !== undefined,
    refetchInterval: ({ state }) => (isUnderWay(state.data?.state) ? askEveryMs : false),
  });
  const stop = useAction({ run: () => call('cancelReplay', { params: { appId, objectId } }) });
  if (!mayTry) return null;
  const isBusy = !refused && !error && isUnderWay(replay?.state);
  return (
    <>
      <FailureNote message={(refused ?? error)?.message} />
      {isBusy && (
        <Group gap="sm" wrap="nowrap">
          <Progress flex={1} value={(replay?.progress ?? 0) * 100} aria-label={t('How far it has come')} />
          {asked && (
            <Button size="xs" variant="subtle" onClick={() => stop.mutate()}>
              {t('Stop')}
            </Button>
          )}
        </Group>
      )}
      {replay && !isUnderWay(replay.state) && <Outcome replay={replay} />}
    </>
  );
}

/** Before the first answer too. */
const isUnderWay = (state: string | undefined) => state === undefined || state === 'waiting' || state === 'running';

type Replay = Operations['getReplay']['answer']['result'];
type Count = Replay['draft']['sent'];

const number = new Intl.NumberFormat(pageLanguage());
const said = (count: Count) => (count === '1-4' ? '1–4' : number.format(count));
const messages = (count: Count) =>
  t('{said} {count, plural, one {message} other {messages}}', { said: said(count), count });
const visitors = (count: Count) =>
  t('{said} {count, plural, one {visitor} other {visitors}}', { said: said(count), count });

function Outcome({ replay }: { readonly replay: Replay }) {
  const { state, draft, against, events } = replay;
  if (state === 'cancelled')
    return (
      <Text size="md" mt="sm">
        {t('It was stopped.')}
      </Text>
    );
  if (state === 'failed')
    return (
      <Text size="md" mt="sm">
        {t('It did not come to an end. Try again.')}
      </Text>
    );
  const instead = against
    ? t(', instead of {said} to {visitors}', { said: said(against.sent), visitors: visitors(against.visitors) })
    : '';
  const reasons = Object.entries(draft.reasons).sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  return (
    <div aria-live="polite">
      <Text size="md" fw={600}>
        {t('It would have sent {messages} to {visitors}{instead}.', {
          messages: messages(draft.sent),
          visitors: visitors(draft.visitors),
          instead,
        })}
      </Text>
      {reasons.length > 0 && (
        <Text mt={4}>
          {t('Not shown: {list}.', {
            list: reasons.map(([reason, count]) => `${said(count)} × ${reasonWords[reason] ?? reason}`).join(', '),
          })}
        </Text>
      )}
      <Text c="dimmed" mt={4}>
        {t('In the last 30 days: judged at {format} recorded events, as if every phone could be reached.', {
          format: said(events),
        })}
      </Text>
    </div>
  );
}

const sizeOf = (count: Count) => (count === '1-4' ? 1 : count);
