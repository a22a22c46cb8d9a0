import { ActionIcon, Box, Button, NumberInput, Text } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../../../components/page/blocks.tsx';
import { type Point, round } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import type { TypedPoint } from '../metre-inputs.tsx';
import classes from '../venues.module.css';

interface CornersProps {
  readonly points: readonly Point[];
  readonly fewest: number;
  /** Calls back if the service refuses them. */
  readonly onChange: (points: readonly Point[], refused: () => void) => void;
}

/** The corners of a zone or a wall as numbers. */
export function Corners({ points, fewest, onChange }: CornersProps) {
  const [known, setKnown] = useState(points);
  const [typed, setTyped] = useState<readonly TypedPoint[]>(points);
  /** What the service has not taken: it is there to be mended when the corners are again those that are stored. */
  const [refused, setRefused] = useState<readonly TypedPoint[]>();
  if (JSON.stringify(points) !== JSON.stringify(known)) {
    setKnown(points);
    setTyped(refused ?? points);
    setRefused(undefined);
  }
  const isWhole = typed.every(({ x, y }) => typeof x === 'number' && typeof y === 'number');
  const set = (index: number, part: 'x' | 'y', value: number | string) =>
    setTyped(typed.map((corner, at) => (at === index ? { ...corner, [part]: value } : corner)));
  return (
    <details>
      <summary>{t('Corners in numbers')}</summary>
      <Text c="dimmed" my={6}>
        {t('In metres from the left and from the top of the plan, or from its zero point if it has another one.')}
      </Text>
      <div className={classes.corners}>
        {typed.map((corner, index) => (
          <CornerRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a corner has no other identity
            key={index}
            index={index}
            corner={corner}
            isNeeded={typed.length <= fewest}
            onSet={set}
            onRemove={() => setTyped(typed.filter((_, at) => at !== index))}
          />
        ))}
      </div>
      <Button
        size="xs"
        mt="xs"
        disabled={!isWhole}
        onClick={() =>
          onChange(
            typed.map(({ x, y }) => ({ x: round(Number(x)), y: round(Number(y)) })),
            () => setRefused(typed),
          )
        }
      >
        {t('Use these corners')}
      </Button>
    </details>
  );
}

interface CornerProps {
  readonly index: number;
  readonly corner: TypedPoint;
  readonly isNeeded: boolean;
  readonly onSet: (index: number, part: 'x' | 'y', value: number | string) => void;
  readonly onRemove: () => void;
}

function CornerRow({ index, corner, isNeeded, onSet, onRemove }: CornerProps) {
  return (
    <>
      <Box component="span" c="dimmed" fz="0.92rem">
        {index + 1}
      </Box>
      {(['x', 'y'] as const).map((part) => (
        <NumberInput
          key={part}
          size="xs"
          hideControls
          aria-label={
            part === 'x'
              ? t('Corner {index}, metres from the left', { index: index + 1 })
              : t('Corner {index}, metres from the top', { index: index + 1 })
          }
          value={corner[part]}
          onChange={(value) => onSet(index, part, value)}
        />
      ))}
      <ActionIcon
        variant="subtle"
        color="gray"
        disabled={isNeeded}
        aria-label={t('Remove corner {index}', { index: index + 1 })}
        onClick={onRemove}
      >
        <Icon name="close" size={14} />
      </ActionIcon>
    </>
  );
}
