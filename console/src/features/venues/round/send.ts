import { type Beacon, type Body, entityTag, operations, PharosError } from '@pharos/sdk';
import { dataOf } from '../../../lib/data/api.ts';
import { isSignedOut } from '../../../lib/data/signing-in.ts';
import { pointer } from '../../../lib/data/venue-queries.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';
import { endWaiting, noteUploaded, noteWaiting, type Problem, photoFrom, type Waiting } from './queue.ts';

/** What has become of something that waited. `later`: there is no network, or the service has too much to do. */
export type Sent = 'done' | 'later' | Problem;

/**
 * Sends what was done at one beacon: its place, if nobody else has moved it in the meantime, the photograph, and that it is
 * verified.
 *
 * @throws PharosError if the session has ended
 */
export async function send(waiting: Waiting): Promise<Sent> {
  try {
    const moved = await place(waiting);
    if (moved) return await kept(waiting, moved);
    const withPhoto = await upload(waiting);
    const { location, photoId, verifiedAt } = withPhoto;
    const body = { location, verifiedAt, ...(photoId ? { photoId } : {}) };
    const params = { objectId: waiting.beacon.objectId };
    await dataOf(waiting.appId).call(operations.verifyPlacement, { params, body });
    await endWaiting(waiting);
    return 'done';
  } catch (error) {
    // It is nothing about this beacon: it waits until its installer is signed in again.
    if (!(error instanceof PharosError) || isSignedOut(error)) throw error;
    if (error.status === 0 || error.status === 429 || error.status >= 500 || error.status === 401) return 'later';
    const message = error.status === 404 ? t('It was deleted meanwhile.') : error.message;
    return kept(waiting, { message });
  }
}

async function kept(waiting: Waiting, problem: Problem): Promise<Problem> {
  await noteWaiting({ ...waiting, problem });
  return problem;
}

const whereIs = ({ location, venueId }: Pick<Beacon, 'location' | 'venueId'>) =>
  canonical([location ?? null, venueId?.objectId ?? null]);

/** Undefined, or that somebody else has moved it. A change of something else is no reason to ask. */
async function place({ appId, venueId, beacon, location, before }: Waiting): Promise<Problem | undefined> {
  const data = dataOf(appId);
  for (;;) {
    const now = await data.beacons.get(beacon.objectId);
    const wanted = { ...now.location, ...location };
    if (canonical([wanted, venueId]) === whereIs(now)) return undefined;
    const isOurs = before !== undefined && canonical([{ ...now.location, ...before }, venueId]) === whereIs(now);
    if (whereIs(now) !== whereIs(beacon) && !isOurs)
      return { message: t('Somebody else has moved it meanwhile.'), theirs: now };
    try {
      const body = { location: wanted, venueId: pointer('Venue', venueId) } as Body<'updateBeacon'>;
      await data.beacons.update(beacon.objectId, body, { ifMatch: entityTag(now) });
      return undefined;
    } catch (error) {
      if (!(error instanceof PharosError && error.status === 412)) throw error;
    }
  }
}

/** Once, however often the rest is tried. */
async function upload(waiting: Waiting): Promise<Waiting> {
  const { appId, beacon, photo, photoId } = waiting;
  if (!photo || photoId) return waiting;
  const params = { objectId: beacon.objectId };
  // Also after a reload.
  const idempotencyKey = `${beacon.objectId}-${photoFrom(waiting)}`;
  const { objectId } = await dataOf(appId).call(operations.uploadBeaconPhoto, {
    params,
    body: photo,
    contentType: photo.type,
    idempotencyKey,
  });
  await noteUploaded(waiting, objectId);
  return { ...waiting, photoId: objectId };
}
