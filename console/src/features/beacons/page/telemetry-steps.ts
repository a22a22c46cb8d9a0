import type { Listed } from '../../../lib/data/listed.ts';

type Hour = Listed<'listTelemetry'>;

const values = ['battery', 'voltage', 'temperature', 'humidity'] as const;

export interface Step extends Readonly<Record<(typeof values)[number], number | null>> {
  /** Minutes. */
  readonly heard: number;
}

const hourMs = 3_600_000;
/** What a beacon told holds for so long; then there is a gap. */
const heldHours = 48;

/** Every hour from the first to the last, so that curves have a measure of time. */
export function stepsOf(hours: readonly Hour[]): readonly Step[] {
  const [first] = hours;
  const last = hours.at(-1);
  if (!first || !last) return [];
  const start = Date.parse(first.hour);
  const length = Math.round((Date.parse(last.hour) - start) / hourMs) + 1;
  const byHour = new Map(hours.map((one) => [Math.round((Date.parse(one.hour) - start) / hourMs), one]));
  const since: Partial<Record<(typeof values)[number], { readonly value: number; readonly at: number }>> = {};
  return Array.from({ length }, (_, at) => {
    const hour = byHour.get(at);
    const entries = values.map((name) => {
      const value = hour?.[name];
      if (value !== undefined) since[name] = { value, at };
      const known = since[name];
      return [name, known && at - known.at <= heldHours ? known.value : null];
    });
    return { ...Object.fromEntries(entries), heard: hour ? Math.max(hour.phones, hour.gateways) : 0 } as Step;
  });
}
