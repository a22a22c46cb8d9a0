import type { Finding, FindingKind } from '../../../src/features/presence/fleet/detect/fleet.ts';
import { saveFindings } from '../../../src/features/presence/fleet/finding-store.ts';
import type { TestApp } from '../build-app.ts';

/** The service has found this of beacons, and nothing else. */
export async function found(
  { appId, storage, clock }: Pick<TestApp, 'appId' | 'storage' | 'clock'>,
  findings: readonly (readonly [beaconId: string, kind: FindingKind])[],
): Promise<void> {
  const inDays = (days: number) => clock.now + days * 86_400_000;
  const times = { earliest: inDays(9), emptyAt: inDays(14), latest: inDays(20) };
  const facts = { openHours: 14, charge: 4, home: '', away: '', ...times };
  const all = findings.map(([beaconId, kind]): Finding => ({ beaconId, kind, since: clock.now, facts }));
  await saveFindings(storage.db, appId, all, clock.now);
}
