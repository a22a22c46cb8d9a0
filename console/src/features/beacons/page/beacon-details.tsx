import type { Beacon } from '@pharos/sdk';
import { MetadataBlock } from '../../../components/code/code-block.tsx';
import { ShowRequest } from '../../../components/code/show-request.tsx';
import { TechnicalDetails } from '../../../components/page/blocks.tsx';
import { Fact, Facts, IdFact, TimeFact } from '../../../components/page/facts.tsx';
import { useTimes } from '../../../lib/time/times.ts';
import { t } from '../../../lib/words/words.ts';
import { placeText } from '../beacon-fields.ts';
import { Calibration } from './calibration.tsx';
import { SignalFact } from './signal.tsx';

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
  readonly mayChange: boolean;
}

/** What an installer or a developer asks about a beacon. */
export function BeaconDetails({ appId, beacon, mayChange }: Props) {
  const times = useTimes(appId);
  const { objectId, radius, measuredPower, sensitivity, metadata } = beacon;
  return (
    <TechnicalDetails>
      <Facts>
        <IdFact label={t('UUID')} isWide>
          {beacon.uuid}
        </IdFact>
        <Fact label={t('Major, minor')}>
          {beacon.major}, {beacon.minor}
        </Fact>
        <Fact label={t('Metres from the left and from the top')}>{placeText(beacon) || t('not set')}</Fact>
        <Fact label={t('Radius')}>{radius === undefined ? t('3 m (default)') : `${radius} m`}</Fact>
        <Fact label={t('Measured power')}>
          {measuredPower === undefined ? t('not calibrated') : t('{measuredPower} dBm at 1 m', { measuredPower })}
        </Fact>
        <Fact label={t('Sensitivity')}>{sensitivity ?? t('as set for the app')}</Fact>
        <SignalFact appId={appId} beaconId={objectId} />
        <TimeFact label={t('Created')}>{times.dateTime(beacon.createdAt)}</TimeFact>
        <TimeFact label={t('Changed')}>{times.dateTime(beacon.updatedAt)}</TimeFact>
        <IdFact>{objectId}</IdFact>
      </Facts>
      <MetadataBlock metadata={metadata} />
      {mayChange && <Calibration appId={appId} beacon={beacon} />}
      <ShowRequest appId={appId} request={{ operation: 'getBeacon', params: { objectId } }} />
    </TechnicalDetails>
  );
}
