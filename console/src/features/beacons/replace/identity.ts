import type { Beacon } from '@pharos/sdk';

export type Identity = Pick<Beacon, 'uuid' | 'major' | 'minor'>;

/**
 * The identifiers in what a label says or somebody has pasted: a UUID, and after it the first two numbers, however they are
 * parted.
 */
export function identityIn(text: string): Identity | undefined {
  const found = /[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}(?![0-9a-f])/i.exec(text);
  if (!found) return undefined;
  const [major, minor] = (text.slice(found.index + found[0].length).match(/\d+/g) ?? []).map(Number);
  return major === undefined || minor === undefined ? undefined : { uuid: found[0], major, minor };
}

/** The objectId in the address of a beacon's page, which is on our own labels. */
export const beaconIdIn = (text: string): string | undefined =>
  /\/beacons\/([0-9A-Za-z]{20})(?![0-9A-Za-z])/.exec(text)?.[1];
