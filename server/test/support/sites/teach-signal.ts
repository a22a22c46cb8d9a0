import { addEvidence, noEvidence } from '@pharos/engine';
import { stepEvidence } from '../../../../packages/engine/src/position/learning.ts';
import { CacheVersion } from '../../../src/db/nodes/cache-version.ts';
import { RadioLearning } from '../../../src/features/presence/sightings/site/radio.ts';
import type { TestApp } from '../build-app.ts';

const minute = 60_000;

/**
 * Eight visitors in turn, each a minute near a beacon that is `quieter` dB weaker than expected; every second one finds it
 * `next` dB weaker.
 */
export function passVisitors(
  radio: RadioLearning,
  appId: string,
  beaconId: string,
  [quieter, next]: [number, number],
): void {
  for (let index = 0; index < 8; index++) {
    let evidence = noEvidence;
    for (let step = 0; step < 60; step++)
      evidence = addEvidence(evidence, stepEvidence(step / 6, (index % 2 === 0 ? quieter : next) + (step % 5) - 2));
    radio.note(appId, { [beaconId]: evidence }, index * minute);
  }
}

/** The same, learned. */
export async function teachSignal(
  { appId, storage, clock }: TestApp,
  beaconId: string,
  quieter: number,
): Promise<void> {
  const radio = new RadioLearning(storage.db, new CacheVersion(storage.db, 'site'));
  passVisitors(radio, appId, beaconId, [quieter, quieter]);
  await radio.flush(clock.now);
}
