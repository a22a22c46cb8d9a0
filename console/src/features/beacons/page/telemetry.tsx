import { useQuery } from '@tanstack/react-query';
import { CurveRow, type Figures } from '../../../components/curve/curve-row.tsx';
import { Block } from '../../../components/page/blocks.tsx';
import { useMayCall } from '../../../lib/data/access.ts';
import type { Listed } from '../../../lib/data/api.ts';
import { t, tenths } from '../../../lib/words/words.ts';
import { telemetryQuery } from '../queries.ts';

type Hour = Listed<'listTelemetry'>;

const values = ['battery', 'voltage', 'temperature', 'humidity'] as const;

interface Step extends Readonly<Record<(typeof values)[number], number | null>> {
  /** Minutes. */
  readonly heard: number;
}

const hourMs = 3_600_000;
/** Hours for which a reading holds; after that the curve has a gap. */
const heldHours = 48;

/** Every hour from the first to the last, so that curves have a measure of time. */
function stepsOf(hours: readonly Hour[]): readonly Step[] {
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

const percent = (value: number) => `${tenths(value)} %`;

const curves: readonly Figures<Step>[] = [
  { label: t('Battery'), of: ({ battery }) => battery, show: percent },
  { label: t('Voltage of the battery'), of: ({ voltage }) => voltage, show: (value) => `${tenths(value)} V` },
  { label: t('Temperature'), of: ({ temperature }) => temperature, show: (value) => `${tenths(value)} °C` },
  { label: t('Humidity'), of: ({ humidity }) => humidity, show: percent },
  { label: t('Minutes of an hour in which it was heard'), of: ({ heard }) => heard, show: tenths },
];

/** What the beacon has told of itself in the last 30 days, and how often it was heard. */
export function BeaconTelemetry({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const may = useMayCall()('listTelemetry');
  const { data } = useQuery({ ...telemetryQuery(appId, beaconId), enabled: may });
  const steps = stepsOf(data ?? []);
  if (steps.length < 2) return null;
  return (
    <Block
      title={t('Measurements')}
      about={t('What the beacon has reported in the last 30 days, and how often it was heard.')}
    >
      <CurveRow curves={curves.filter(({ of }) => steps.some((step) => of(step) !== null))} steps={steps} />
    </Block>
  );
}
