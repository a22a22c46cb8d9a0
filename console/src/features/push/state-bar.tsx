import { Group, UnstyledButton } from '@mantine/core';
import { inSentence, pageLanguage, t } from '../../lib/words/words.ts';
import classes from './push.module.css';
import { type Counts, type DeliveryState, deliveryStates } from './push-states.ts';

const states = Object.keys(deliveryStates) as DeliveryState[];

export function StateBar({ counts, isLarge = false }: { readonly counts: Counts; readonly isLarge?: boolean }) {
  const total = states.reduce((sum, state) => sum + counts[state], 0);
  const label = states
    .filter((state) => counts[state] > 0)
    .map((state) => `${counts[state].toLocaleString(pageLanguage())} ${inSentence(deliveryStates[state].label)}`)
    .join(', ');
  let before = 0;
  return (
    <svg className={isLarge ? classes.barLarge : classes.bar} role="img" aria-label={label || t('No recipients yet')}>
      <title>{label || t('No recipients yet')}</title>
      {states.map((state) => {
        const share = total === 0 ? 0 : (100 * counts[state]) / total;
        const x = before;
        before += share;
        return (
          share > 0 && <rect key={state} className={classes[state]} x={`${x}%`} width={`${share}%`} height="100%" />
        );
      })}
    </svg>
  );
}

interface LegendProps {
  readonly counts: Counts;
  readonly chosen: DeliveryState | undefined;
  readonly onChoose: (state: DeliveryState | undefined) => void;
}

/** The numbers behind the bar; each one filters the recipients. */
export function StateLegend({ counts, chosen, onChoose }: LegendProps) {
  return (
    <Group component="ul" gap="0.4rem" align="stretch" mt="0.9rem">
      {states.map((state) => (
        <li key={state}>
          <UnstyledButton
            className={classes.legendEntry}
            aria-pressed={chosen === state}
            title={deliveryStates[state].about}
            onClick={() => onChoose(chosen === state ? undefined : state)}
          >
            <svg className={classes.dot} aria-hidden="true">
              <rect className={classes[state]} width="100%" height="100%" />
            </svg>
            <span>{deliveryStates[state].label}</span>
            <b>{counts[state].toLocaleString(pageLanguage())}</b>
          </UnstyledButton>
        </li>
      ))}
    </Group>
  );
}
