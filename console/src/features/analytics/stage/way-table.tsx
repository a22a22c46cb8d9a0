import { ActionIcon, Button, Group, NativeSelect, NumberInput, Text } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { Icon } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import classes from './stage.module.css';
import type { Place, WayPoint } from './walk.ts';

interface Props {
  readonly points: readonly WayPoint[];
  /** Of the venue. */
  readonly floors: readonly Floor[];
  /** Where a point is put that comes from the keyboard. */
  readonly middle: Place;
  readonly onChange: (points: readonly WayPoint[]) => void;
  readonly onSuggest: () => void;
}

/** The points of a way as a table, for the keyboard and for exact places. */
export function WayTable({ points, floors, middle, onChange, onSuggest }: Props) {
  const set = (index: number, change: Partial<WayPoint>) =>
    onChange(points.map((point, at) => (at === index ? { ...point, ...change } : point)));
  const numbered = (name: 'x' | 'y' | 'stay', index: number, label: string) => (
    <NumberInput
      aria-label={label}
      size="xs"
      hideControls
      decimalScale={2}
      {...(name === 'stay' ? { min: 0, max: 3600 } : {})}
      value={points[index]?.[name] ?? 0}
      onChange={(value) => {
        if (typeof value === 'number') set(index, { [name]: value });
      }}
    />
  );
  return (
    <div>
      {points.length === 0 ? (
        <Text c="dimmed" mb="xs">
          {t('Click on the plan where the visitor walks, or let a way be suggested.')}
        </Text>
      ) : (
        <div className={classes.scroller}>
          <table className={classes.points} aria-label={t('Points of the way')}>
            <thead>
              <tr>
                <th scope="col">{t('Point')}</th>
                <th scope="col">{t('Right, m')}</th>
                <th scope="col">{t('Down, m')}</th>
                <th scope="col">{t('Stays, s')}</th>
                {floors.length > 1 && <th scope="col">{t('Floor')}</th>}
                <td />
              </tr>
            </thead>
            <tbody>
              {points.map(({ floorId }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a point is known by its place in the way
                <tr key={index}>
                  <th scope="row">{index + 1}</th>
                  <td>{numbered('x', index, t('Metres to the right, point {index}', { index: index + 1 }))}</td>
                  <td>{numbered('y', index, t('Metres down, point {index}', { index: index + 1 }))}</td>
                  <td>{numbered('stay', index, t('Seconds at point {index}', { index: index + 1 }))}</td>
                  {floors.length > 1 && (
                    <td>
                      <NativeSelect
                        size="xs"
                        miw={112}
                        aria-label={t('Floor of point {index}', { index: index + 1 })}
                        data={floors.map(({ objectId, name }) => ({ value: objectId, label: name }))}
                        value={floorId}
                        onChange={({ currentTarget }) => set(index, { floorId: currentTarget.value })}
                      />
                    </td>
                  )}
                  <td>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t('Remove point {index}', { index: index + 1 })}
                      onClick={() => onChange(points.filter((_, at) => at !== index))}
                    >
                      <Icon name="close" size={16} />
                    </ActionIcon>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Group gap="xs" mt="xs">
        <Button size="xs" onClick={() => onChange([...points, { ...nextTo(points.at(-1), middle), stay: 0 }])}>
          {t('Add a point')}
        </Button>
        <Button size="xs" onClick={onSuggest}>
          {t('Suggest a way')}
        </Button>
        {points.length > 0 && (
          <Button size="xs" variant="subtle" onClick={() => onChange([])}>
            {t('Clear')}
          </Button>
        )}
      </Group>
    </div>
  );
}

/** On the floor that is shown: beside the last point, where that is there too. */
const nextTo = (last: WayPoint | undefined, middle: Place): Place => (last?.floorId === middle.floorId ? last : middle);
