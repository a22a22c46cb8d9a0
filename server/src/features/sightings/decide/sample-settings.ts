import type { PresenceSettings, Sample } from '@pharos/engine';

/**
 * A new configuration does not change the past: each sample keeps what was configured when it arrived. A late one takes
 * that of the next one of its beacon that was known, since both may be of one contact. In order of time.
 */
export function withSettings(
  samples: readonly Sample[],
  settingsNow: (beaconId: string) => PresenceSettings,
): readonly Sample[] {
  const next = new Map<string, PresenceSettings>();
  return samples
    .toReversed()
    .map((sample) => {
      const { beaconId } = sample;
      const settings = sample.settings ?? next.get(beaconId) ?? settingsNow(beaconId);
      next.set(beaconId, settings);
      return { ...sample, settings };
    })
    .reverse();
}
