import { Text } from '@mantine/core';
import classes from './curve.module.css';
import { linesOf } from './lines.ts';

export interface Figures<Step> {
  readonly label: string;
  readonly of: (step: Step) => number | null;
  readonly show: (value: number) => string;
}

interface Props<Step> {
  readonly curves: readonly Figures<Step>[];
  /** In the order of time, equally long. */
  readonly steps: readonly Step[];
}

/** Small curves side by side, each with its newest value and its range. */
export function CurveRow<Step>({ curves, steps }: Props<Step>) {
  return (
    <div className={classes.curves}>
      {curves.map(({ label, of, show }) => {
        const values = steps.map(of);
        const known = values.filter((value) => value !== null);
        const last = known.at(-1);
        const range = known.length > 0 ? `${show(Math.min(...known))} – ${show(Math.max(...known))}` : '';
        return (
          <figure key={label} className={classes.curve}>
            <figcaption>
              {label} <b>{last === undefined ? '' : show(last)}</b>
            </figcaption>
            <svg viewBox="0 0 100 30" preserveAspectRatio="none" role="img" aria-label={`${label}: ${range}`}>
              {linesOf(values).map((line) => (
                <polyline key={line} points={line} />
              ))}
            </svg>
            <Text size="xs" c="dimmed">
              {range}
            </Text>
          </figure>
        );
      })}
    </div>
  );
}
