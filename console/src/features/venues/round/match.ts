import type { Beacon } from '@pharos/sdk';

/** What the label of a beacon says: its page in this console, which the camera of any phone opens. */
export const labelText = (origin: string, appId: string, { objectId }: Pick<Beacon, 'objectId'>) =>
  `${origin}/console/apps/${appId}/beacons/${objectId}`;

const plain = (text: string) => text.toLowerCase().replaceAll(/[^0-9a-z]/g, '');

/**
 * The beacon that a label means: ours, or one of a maker that has the numbers of the beacon: its UUID, major and minor, in this
 * order, however they are parted.
 */
export function beaconOf<B extends Pick<Beacon, 'objectId' | 'uuid' | 'major' | 'minor'>>(
  text: string,
  beacons: readonly B[],
): B | undefined {
  const words = text.split(/[^0-9A-Za-z]+/);
  const named = beacons.find(({ objectId }) => words.includes(objectId));
  if (named) return named;
  const all = plain(text);
  return beacons.find(({ uuid, major, minor }) => {
    const at = all.indexOf(plain(uuid));
    if (at < 0 || plain(uuid).length < 8) return false;
    const numbers = text.slice(lastOf(text, plain(uuid).length, at)).match(/\d+/g) ?? [];
    return Number(numbers[0]) === major && Number(numbers[1]) === minor;
  });
}

/** Where in a text its letters and digits from `at` on have been passed, as many as `count`. */
function lastOf(text: string, count: number, at: number): number {
  let passed = 0;
  for (let index = 0; index < text.length; index++) {
    if (!/[0-9A-Za-z]/.test(text[index] ?? '')) continue;
    passed += 1;
    if (passed === at + count) return index + 1;
  }
  return text.length;
}
