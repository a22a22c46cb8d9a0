import { Button, Group, SegmentedControl, Slider, Text } from '@mantine/core';
import { Icon } from '../../../components/page/blocks.tsx';
import { timeOfDay } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import { type Playback, type Speed, speeds } from './playback.ts';
import classes from './stage.module.css';
import type { WalkAnswer } from './walk.ts';

interface Props {
  readonly walk: WalkAnswer;
  readonly playback: Playback;
  readonly zone: string;
}

const speedChoices = speeds.map((value) => ({ value, label: `${value}×` }));

/** Plays a walk, as fast as somebody likes, and goes to any moment of it. */
export function Player({ walk, playback, zone }: Props) {
  const { time, speed, isRunning } = playback;
  const clock = (seconds: number) => timeOfDay(zone, new Date(Date.parse(walk.at) + seconds * 1_000).toISOString());
  return (
    <Group gap="0.5rem 0.9rem">
      <Button
        leftSection={<Icon name={isRunning ? 'close' : 'play'} size={16} />}
        onClick={isRunning ? playback.stop : playback.play}
      >
        {isRunning ? t('Stop') : t('Play')}
      </Button>
      <SegmentedControl
        aria-label={t('How fast')}
        data={speedChoices}
        value={speed}
        onChange={(value) => playback.setSpeed(value as Speed)}
      />
      <Slider
        flex="1 1 14rem"
        miw="10rem"
        thumbLabel={t('Moment of the walk')}
        min={0}
        max={walk.seconds}
        value={Math.floor(time)}
        onChange={playback.goTo}
        label={clock}
      />
      <Text className={classes.clock ?? ''}>{clock(Math.floor(time))}</Text>
    </Group>
  );
}
