import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { FailureNote, Icon } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import type { Waiting } from './queue.ts';
import type { WaitingRound } from './use-waiting.ts';

const placeText = (at: Waiting['location'] | undefined) =>
  at ? t('{x}, {y} on floor {floor}', { x: at.x, y: at.y, floor: String(at.floor ?? 0) }) : t('no place');

/** What has not been sent: because there is no network, or because somebody else was there as well. */
export function WaitingList({ round }: { readonly round: WaitingRound }) {
  const { waiting, isSending, failure } = round;
  const later = waiting.filter(({ problem }) => !problem);
  return (
    <Stack gap="xs">
      <FailureNote message={failure} />
      {later.length > 0 && (
        <Alert color="blue" icon={<Icon name="clock" />}>
          <Group justify="space-between">
            <Text>
              {t(
                '{count, plural, one {# beacon is} other {# beacons are}} kept on this device and sent when there is a network.',
                { count: later.length },
              )}
            </Text>
            <Button size="xs" loading={isSending} onClick={() => void round.sendAll()}>
              {t('Send now')}
            </Button>
          </Group>
        </Alert>
      )}
      {waiting.map((one) => one.problem && <Trouble key={one.id} one={one} round={round} />)}
    </Stack>
  );
}

function Trouble({ one, round }: { readonly one: Waiting; readonly round: WaitingRound }) {
  const { beacon, location, problem } = one;
  const theirs = problem?.theirs;
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title={beacon.name}>
      <Text>{problem?.message}</Text>
      {theirs && (
        <Text>
          {t('You: {mine}. They: {other}.', {
            mine: placeText(location),
            other: placeText(theirs.location as Waiting['location'] | undefined),
          })}
        </Text>
      )}
      <Group gap="xs" mt="xs">
        <Button variant="filled" size="xs" onClick={() => void round.overwrite(one)}>
          {theirs ? t('Use mine') : t('Try again')}
        </Button>
        <Button size="xs" onClick={() => void round.drop(one)}>
          {theirs ? t('Keep theirs') : t('Discard')}
        </Button>
      </Group>
    </Alert>
  );
}
