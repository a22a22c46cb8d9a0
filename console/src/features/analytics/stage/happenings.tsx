import { Badge, Box, Checkbox, Group, NativeSelect, Text, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import names from '../../../components/names/names.module.css';
import { TriggerLink } from '../../../components/names/names.tsx';
import { Block } from '../../../components/page/blocks.tsx';
import { useStanding } from '../../../lib/data/access.ts';
import { eventWords, verdictReason } from '../../../lib/text/event-words.ts';
import { timeOfDay } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import type { Playback } from './playback.ts';
import classes from './stage.module.css';
import { believedZone, type Ground, type Happening, happeningsOf, type WalkAnswer, wordsOf } from './walk.ts';

interface Props {
  readonly appId: string;
  readonly walk: WalkAnswer;
  readonly ground: Ground;
  readonly zone: string;
  readonly playback: Playback;
}

/** More are not drawn at once. */
const maxDrawn = 400;

/** What happened to the visitors, and which messages they would have been shown, or why not. */
export function Happenings({ appId, walk, ground, zone, playback }: Props) {
  const [isAll, setAll] = useState(false);
  const [visitor, setVisitor] = useState('');
  const all = happeningsOf(walk);
  const chosen = all.filter(
    (one) =>
      (visitor === '' || one.visitor === Number(visitor)) &&
      (isAll || one.event.event === 'ENTER' || one.event.event === 'EXIT' || isReported(one)),
  );
  const drawn = chosen.slice(0, maxDrawn);
  return (
    <Block
      title={t('What would happen')}
      about={t('Times are in {zone}. Choose a time to see the moment on the plan.', { zone })}
    >
      <Group gap="md" mb="sm">
        {walk.visitors.length > 1 && (
          <NativeSelect
            aria-label={t('Visitor')}
            data={[
              { value: '', label: t('All visitors') },
              ...walk.visitors.map(({ number }) => ({
                value: String(number),
                label: t('Visitor {number}', { number }),
              })),
            ]}
            value={visitor}
            onChange={({ currentTarget }) => setVisitor(currentTarget.value)}
          />
        )}
        <Checkbox
          label={t('Also each coming near and moving away')}
          checked={isAll}
          onChange={({ currentTarget }) => setAll(currentTarget.checked)}
        />
      </Group>
      {chosen.length === 0 && (
        <Text role="status">
          {t('Nothing: nobody would be noticed. Let the way lead nearer to a beacon, or let visitors stay longer.')}
        </Text>
      )}
      <ol className={classes.happenings} aria-label={t('What would happen')}>
        {drawn.map((one) => (
          <li key={one.id} data-now={isNow(one, playback.time)}>
            <UnstyledButton
              className={`${names.link} ${classes.moment}`}
              onClick={() => playback.goTo(Math.ceil(one.time))}
            >
              {timeOfDay(zone, one.event.occurredAt)}
            </UnstyledButton>
            <div>
              <EventLine happening={one} ground={ground} isAlone={walk.visitors.length === 1} />
              <Verdicts appId={appId} happening={one} walk={walk} zone={zone} />
            </div>
          </li>
        ))}
      </ol>
      {drawn.length < chosen.length && (
        <Text c="dimmed">
          {t('{count, plural, one {One more is} other {# more are}} not shown here. Choose one visitor.', {
            count: chosen.length - drawn.length,
          })}
        </Text>
      )}
    </Block>
  );
}

/** Events that matter only to a message that is switched off are not reported. */
const isReported = ({ verdicts }: Happening) => verdicts.some(({ verdict }) => verdict.reason !== 'disabled');

const isNow = ({ time }: Happening, now: number) => time <= now && time > now - 3;

interface EventProps {
  readonly happening: Happening;
  readonly ground: Ground;
  readonly isAlone: boolean;
}

function EventLine({ happening: { event, visitor }, ground, isAlone }: EventProps) {
  const { objectId } = event.beaconId;
  const beacon = ground.beacons.find((one) => one.objectId === objectId)?.name ?? objectId;
  const zone = believedZone(ground, { beacon: objectId })?.name;
  return (
    <div>
      {!isAlone && (
        <Box component="span" c="dimmed" fz="0.9rem">
          {t('Visitor {number}', { number: visitor })}{' '}
        </Box>
      )}
      <b>{eventWords[event.event]}</b> {beacon}
      {zone !== undefined && zone !== beacon && (
        <Box component="span" c="dimmed" fz="0.9rem">
          {' '}
          ({zone})
        </Box>
      )}
    </div>
  );
}

interface VerdictProps {
  readonly appId: string;
  readonly happening: Happening;
  readonly walk: WalkAnswer;
  readonly zone: string;
}

const colors = { fired: 'teal', stopped: 'gray', pending: 'blue' } as const;
const outcomes = { fired: t('Would be shown'), stopped: t('Not shown'), pending: t('Waiting') };

function Verdicts({ appId, happening: { event, verdicts }, walk, zone }: VerdictProps) {
  // An administrator limited to venues cannot open every message.
  const mayOpen = useStanding()?.venues === undefined;
  if (verdicts.length === 0) return null;
  return (
    <ul className={classes.verdicts}>
      {verdicts.map(({ verdict, message }) => {
        const { triggerId, outcome, text, decidedAt } = verdict;
        const words = message && wordsOf(message);
        const name = walk.triggers.find(({ objectId }) => objectId === triggerId)?.name ?? '';
        const isLater = Date.parse(decidedAt) - Date.parse(event.occurredAt) > 1_000;
        return (
          <li key={triggerId}>
            <Badge color={colors[outcome]}>{outcomes[outcome]}</Badge>
            <div>
              {mayOpen ? <TriggerLink appId={appId} triggerId={triggerId} /> : name}
              {isLater && outcome !== 'pending' && (
                <Box component="span" c="dimmed" fz="0.9rem">
                  {' '}
                  {t('decided at {time}', { time: timeOfDay(zone, decidedAt) })}
                </Box>
              )}
              {words && (words.title || words.text) && (
                <p>
                  {words.title && <b>{words.title}</b>} {words.text}
                </p>
              )}
              {outcome !== 'fired' && <p>{verdictReason(text)}</p>}
            </div>
          </li>
        );
      })}
    </ul>
  );
}
