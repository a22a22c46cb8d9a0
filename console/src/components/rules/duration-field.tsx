import { NativeSelect, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../lib/words/words.ts';
import classes from './rules.module.css';

const units = [
  { value: '1', label: t('seconds') },
  { value: '60', label: t('minutes') },
  { value: '3600', label: t('hours') },
  { value: '86400', label: t('days') },
] as const;

/** The largest unit that gives a whole number. */
const unitOf = (seconds: number): number =>
  Number(units.findLast(({ value }) => seconds > 0 && seconds % Number(value) === 0)?.value ?? 60);

interface Props {
  readonly label: string;
  readonly seconds: number;
  readonly onChange: (seconds: number) => void;
  readonly error?: string | undefined;
}

/** A number with a unit; the value is in seconds. */
export function DurationField({ label, seconds, onChange, error }: Props) {
  const [unit, setUnit] = useState(() => unitOf(seconds));
  return (
    <div className={classes.duration}>
      <NumberInput
        label={label}
        value={seconds / unit}
        min={0}
        hideControls
        error={error}
        onChange={(value) => typeof value === 'number' && onChange(Math.round(value * unit))}
      />
      <NativeSelect
        aria-label={t('{label}: unit', { label })}
        data={[...units]}
        value={String(unit)}
        onChange={({ currentTarget: { value } }) => {
          const next = Number(value);
          onChange(Math.round((seconds / unit) * next));
          setUnit(next);
        }}
      />
    </div>
  );
}
