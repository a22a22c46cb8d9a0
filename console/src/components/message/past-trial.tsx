import { Button, Group, Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { reasonWords } from '../../lib/text/reason-words.ts';
import type { Operations } from '../../lib/wire.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import { Block } from '../page/block.tsx';
import { FailureNote } from '../page/failure-note.tsx';

type Draft = Operations['beginReplay']['body']['draft'];

interface Props {
  readonly appId: string;
  /** The message that is edited; a new one has nothing to compare with. */
  readonly triggerId?: string | undefined;
  readonly draft: Draft;
}

const askEveryMs = 1_000;

/** What the message, as the form has it, would have sent to the visitors of the last 30 days. Nothing is sent. */
export function PastTrial({ appId, triggerId, draft }: Props) {
  const mayTry = useMayCall()('simulateSightings');
  const [asked, setAsked] = useState<{ readonly objectId: string; readonly draft: string }>();
  const begin = useAction({
    run: async () => {
      const body = { ...(triggerId ? { triggerId } : {}), draft: { ...draft, isEnabled: true } };
      const { result } = await call('beginReplay', { params: { appId }, body });
      setAsked({ objectId: result.objectId, draft: JSON.stringify(draft) });
    },
    showsError: true,
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
  const isBusy = begin.isPending || (asked !== undefined && !error && isUnderWay(replay?.state));
  return (
    <Block
      title={t('What it would have sent')}
      about={t(
        'Tries these rules on the recorded visits of the last 30 days, before you save or switch it on. Nothing is sent.',
      )}
    >
      <FailureNote message={(begin.error ?? error)?.message} />
      <Group gap="sm">
        <Button
          variant="default"
          loading={isBusy}
          disabled={draft.beacons.length === 0}
          onClick={() => begin.mutate(undefined)}
        >
          {t('Try it on the last 30 days')}
        </Button>
        {isBusy && asked && (
          <Button variant="subtle" onClick={() => stop.mutate(undefined)}>
            {t('Stop')}
          </Button>
        )}
      </Group>
      {isBusy && <Progress mt="sm" value={(replay?.progress ?? 0) * 100} aria-label={t('How far it has come')} />}
      {replay && !isUnderWay(replay.state) && (
        <Outcome replay={replay} isOld={asked?.draft !== JSON.stringify(draft)} />
      )}
    </Block>
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

function Outcome({ replay, isOld }: { readonly replay: Replay; readonly isOld: boolean }) {
  const { state, draft, against, events } = replay;
  if (state === 'cancelled') return <Text mt="sm">{t('It was stopped.')}</Text>;
  if (state === 'failed') return <Text mt="sm">{t('It did not come to an end. Try again.')}</Text>;
  const instead = against
    ? t(', instead of {said} to {visitors}', { said: said(against.sent), visitors: visitors(against.visitors) })
    : '';
  const reasons = Object.entries(draft.reasons).sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  return (
    <div aria-live="polite">
      <Text mt="sm" fw={600}>
        {t('It would have sent {messages} to {visitors}{instead}.', {
          messages: messages(draft.sent),
          visitors: visitors(draft.visitors),
          instead,
        })}
      </Text>
      {reasons.length > 0 && (
        <Text size="sm" mt={4}>
          {t('Not shown: {list}.', {
            list: reasons.map(([reason, count]) => `${said(count)} × ${reasonWords[reason] ?? reason}`).join(', '),
          })}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt={4}>
        {t(
          'Judged at {format} recorded events, as if every phone could be reached.{isOld, select, true { The form has changed since.} other {}}',
          { format: said(events), isOld },
        )}
      </Text>
    </div>
  );
}

const sizeOf = (count: Count) => (count === '1-4' ? 1 : count);
