import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { t } from '../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly beaconIds: readonly string[];
}

/** Beacons by their names, for a sentence or a cell. */
export function BeaconNames({ appId, beaconIds }: Props) {
  const names = useBeaconNames(appId, beaconIds);
  if (beaconIds.length === 0) return <>{t('no beacon')}</>;
  return (
    <>{beaconIds.map((id) => names(id) ?? (names(id) === null ? t('a beacon that is deleted') : '…')).join(', ')}</>
  );
}
