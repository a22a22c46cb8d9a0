import { NumberInput, type NumberInputProps } from '@mantine/core';
import { t } from '../../lib/words/words.ts';

export type TypedPoint = Readonly<Record<'x' | 'y', number | string>>;

interface Props extends Omit<NumberInputProps, 'value' | 'onChange'> {
  readonly value: TypedPoint;
  readonly onChange: (value: TypedPoint) => void;
}

/** Where something is on a floor, as it is typed. */
export function MetreInputs({ value, onChange, ...shared }: Props) {
  return (['x', 'y'] as const).map((axis) => (
    <NumberInput
      key={axis}
      label={axis === 'x' ? t('Metres from the left') : t('Metres from the top')}
      {...shared}
      value={value[axis]}
      onChange={(next) => onChange({ ...value, [axis]: next })}
    />
  ));
}
