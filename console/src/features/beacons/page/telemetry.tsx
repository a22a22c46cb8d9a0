import { useQuery } from '@tanstack/react-query';
import { CurveRow, type Figures } from '../../../components/curve/curve-row.tsx';
import { Block } from '../../../components/page/block.tsx';
import { useMayCall } from '../../../lib/data/access.ts';
import { t, tenths } from '../../../lib/words/words.ts';
import { telemetryQuery } from '../queries.ts';
import { type Step, stepsOf } from './telemetry-steps.ts';

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
