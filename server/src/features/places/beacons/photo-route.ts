import type { Caller } from '../../../access/caller.ts';
import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { type Call, type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { assertGranted, grantOf } from '../../../http/grants.ts';
import { findAllowed } from '../../../resources/allowed.ts';
import type { Context } from '../../context.ts';
import { beacons } from './resource.ts';

export interface PhotoDeps {
  readonly db: Db;
  /** Stores what a request carries as a file. */
  readonly photos: Context['fileIntake'];
}

type Photo = Awaited<ReturnType<Context['fileIntake']['announce']>>;

/** The most bytes of a photograph; one from a phone, reduced by the console, has a tenth of this. */
const maxPhotoBytes = 8 * 1024 * 1024;

const endings: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' };

/** The beacon of the path. @throws Failure ObjectNotFound, OperationForbidden */
export async function locateBeacon(db: Db, call: Caller & Pick<Call<undefined, undefined>, 'params'>): Promise<string> {
  const objectId = call.params['objectId'] ?? '';
  if (
    !(await findAllowed(db, beacons, {
      key: { app_id: call.app.appId, object_id: objectId },
      verb: 'update',
      caller: call,
    }))
  )
    throw fail('ObjectNotFound', 'There is no beacon with this objectId.');
  return objectId;
}

/**
 * A photograph is a file, so that whoever the app lets upload none brings none in by way of a beacon. In the console the role decides.
 *
 * @throws Failure OperationForbidden
 */
function assertMayUpload({ app, user, secretKey, isAdministrator }: Caller): void {
  if (isAdministrator) return;
  const grant = grantOf({ grant: { of: 'files', verb: 'create' } }, app.rules);
  if (!secretKey || grant === 'nobody') assertGranted(grant, user);
}

/** Installers may not upload files; of the beacons that they put up, they may. */
export function photograph({ db, photos }: PhotoDeps): Endpoint {
  return endpoint<undefined, Photo>({
    method: 'POST',
    path: '/beacons/:objectId/photo',
    operationId: 'uploadBeaconPhoto',
    tag: beacons.tag,
    summary: 'Upload a photograph of where a beacon is',
    description:
      'The body is a JPEG, PNG or WebP picture of at most 8 MB, which becomes a file. Name it in `photoId` when you verify where the ' +
      'beacon is. Anybody who knows the returned address can see the picture.',
    grant: { of: 'beacons', verb: 'update' },
    parameters: { objectId: 'The objectId of the beacon' },
    takesStream: true,
    takesKey: true,
    answer: photos.answer,
    errors: [
      'ObjectNotFound',
      'UnsupportedMediaType',
      'ObjectTooLarge',
      'InvalidJSON',
      'OperationForbidden',
      'APICallLimit',
      'Timeout',
    ],
    locate: async (call) => {
      const objectId = await locateBeacon(db, call);
      assertMayUpload(call);
      const type =
        String(call.headers['content-type'] ?? '')
          .split(';')[0]
          ?.trim()
          .toLowerCase() ?? '';
      const ending = endings[type];
      if (!ending)
        throw fail('UnsupportedMediaType', 'A photograph is a JPEG, PNG or WebP picture: say so in Content-Type.');
      return photos.announce(call, { name: `beacon-${objectId}.${ending}`, maxBytes: maxPhotoBytes });
    },
    handle: (call) => photos.keep(call, call.located),
  });
}
