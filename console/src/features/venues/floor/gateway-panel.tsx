import { Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { Icon } from '../../../components/page/icon.tsx';
import { roundPoint } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import classes from '../venues.module.css';
import type { DrawnGateway, Gateway } from './gateways.ts';

interface Props {
  readonly gateway: DrawnGateway;
  /** Of the other gateways of the floor. */
  readonly taken: readonly string[];
  readonly mayEdit: boolean;
  readonly onChange: (change: Partial<Gateway>) => void;
  readonly onRemove: () => void;
}

/** A gateway on the plan, its name and its place in numbers. */
export function GatewayPanel({ gateway, taken, mayEdit, onChange, onRemove }: Props) {
  const [name, setName] = useState(gateway.name);
  const [place, setPlace] = useState<Readonly<Record<'x' | 'y', number | string>>>({ x: gateway.x, y: gateway.y });
  const isTaken = taken.includes(name.trim());
  const isWhole = name.trim() !== '' && !isTaken && typeof place.x === 'number' && typeof place.y === 'number';
  function submit(event: FormEvent) {
    event.preventDefault();
    if (!isWhole) return;
    onChange({ name: name.trim(), ...roundPoint({ x: Number(place.x), y: Number(place.y) }) });
  }
  return (
    <Stack gap="xs">
      <h3>{gateway.name}</h3>
      <Text size="sm" c="dimmed">
        {t('A receiver that reports to the service. It is only drawn, so that people find it.')}
      </Text>
      <form onSubmit={submit}>
        <TextInput
          label={t('Name')}
          maxLength={100}
          readOnly={!mayEdit}
          value={name}
          error={isTaken ? t('Another gateway of this floor has this name.') : undefined}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <div className={classes.pair}>
          {(['x', 'y'] as const).map((axis) => (
            <NumberInput
              key={axis}
              label={axis === 'x' ? t('x, metres') : t('y, metres')}
              step={0.1}
              readOnly={!mayEdit}
              value={place[axis]}
              onChange={(next) => setPlace({ ...place, [axis]: next })}
            />
          ))}
        </div>
        {mayEdit && (
          <Group mt="xs" gap="xs">
            <Button type="submit" size="xs" variant="default" disabled={!isWhole}>
              {t('Save')}
            </Button>
            <Button size="xs" variant="default" leftSection={<Icon name="trash" size={14} />} onClick={onRemove}>
              {t('Delete the gateway')}
            </Button>
          </Group>
        )}
      </form>
    </Stack>
  );
}
