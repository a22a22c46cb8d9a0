import { Button, Group, Stack, Text } from '@mantine/core';
import { Icon } from '../../../components/page/blocks.tsx';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { t, tenths } from '../../../lib/words/words.ts';
import { Corners } from './corners.tsx';
import type { DrawnWall } from './walls.ts';

interface Props {
  readonly wall: DrawnWall;
  readonly mayEdit: boolean;
  readonly onChange: (points: readonly Point[], refused: () => void) => void;
  readonly onRemove: () => void;
}

/** How long a wall is, metres. */
export const lengthText = ({ points }: Pick<DrawnWall, 'points'>) =>
  t('{metres} m', {
    metres: tenths(
      points.slice(1).reduce((sum, { x, y }, at) => {
        const before = points[at] as Point;
        return sum + Math.hypot(x - before.x, y - before.y);
      }, 0),
    ),
  });

export function WallPanel({ wall, mayEdit, onChange, onRemove }: Props) {
  return (
    <Stack gap="xs">
      <h3>{wall.name}</h3>
      <Text c="dimmed">
        {t('{length} long. Walls are only drawn: positions do not take them into account.', {
          length: lengthText(wall),
        })}
      </Text>
      {mayEdit && (
        <>
          <Corners key={wall.id} points={wall.points} fewest={2} onChange={onChange} />
          <Group>
            <Button size="xs" leftSection={<Icon name="trash" size={14} />} onClick={onRemove}>
              {t('Delete the wall')}
            </Button>
          </Group>
        </>
      )}
    </Stack>
  );
}
