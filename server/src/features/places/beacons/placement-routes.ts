import { isoTime, parseInstant, QueryError } from '@pharos/query';
import { type Static, Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { fail, invalid } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import {
  deletedAnswer,
  exampleId,
  exampleUpdated,
  otherExampleId,
  pointerExample,
  pointerSchema,
  timestampSchema,
} from '../../../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import { locateBeacon, type PhotoDeps, photograph } from './photo-route.ts';
import {
  forgetPlacement,
  holdLocation,
  type ListedPlacement,
  listPlacements,
  maxPlacements,
  writePlacement,
} from './placement-store.ts';
import { beacons } from './resource.ts';

export interface PlacementDeps extends PhotoDeps {
  /** The media type of a file that the caller may get; undefined: for her there is none. */
  readonly findFileType: (caller: Caller, fileId: string) => Promise<string | undefined>;
}

const place = Type.Object(
  { x: Type.Number(), y: Type.Number(), floor: Type.Optional(Type.Union([Type.Number(), Type.String()])) },
  { description: 'Where it was found, metres on its floor' },
);

const bodySchema = Type.Object({
  location: place,
  photoId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'objectId of a picture that shows it there; without, there is none',
    }),
  ),
  verifiedAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'When, for what is sent later; at most 30 days ago' }),
  ),
});
const shape = defineShape(bodySchema);
type Body = Static<typeof bodySchema>;

const record = Type.Object({
  beaconId: pointerSchema('Beacon'),
  location: place,
  isMoved: Type.Boolean({ description: 'The beacon is somewhere else by now' }),
  verifiedAt: timestampSchema,
  verifiedBy: Type.Optional(Type.String({ description: 'The e-mail of the administrator, for managers' })),
  createdBy: Type.Optional(pointerSchema('_User')),
  photoId: Type.Optional(Type.String()),
});
const example = {
  beaconId: pointerExample('Beacon', exampleId),
  location: { x: 4.2, y: 7.5, floor: 0 },
  isMoved: false,
  verifiedAt: exampleUpdated,
  verifiedBy: 'installer@museum.example',
  photoId: otherExampleId,
};

export function placementEndpoints(deps: PlacementDeps): Endpoint[] {
  return [list(deps), verify(deps), withdraw(deps), photograph(deps)];
}

function list({ db }: PlacementDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/placements',
    operationId: 'listPlacements',
    tag: beacons.tag,
    summary: 'List the beacons whose place was verified',
    description: `Of all beacons, of those of a venue or of one beacon; at most ${maxPlacements}, by the ids of the beacons. For those who may get and change these beacons, and see their location.`,
    grant: { of: 'beacons', verb: 'update' },
    query: ['venueId', 'beaconId'].map((name) => ({
      name,
      description: name === 'venueId' ? 'The beacons of this venue' : 'This beacon',
      schema: Type.String({ maxLength: 64 }),
    })),
    answer: {
      status: 200,
      description: 'The placements.',
      schema: Type.Object({ results: Type.Array(record) }),
      example: { results: [example] },
    },
    errors: ['InvalidQuery', 'Timeout'],
    handle: async (call) => {
      const { venueId, beaconId } = call.query;
      const hidden = call.app.rules.of('beacons').hiddenFrom(call);
      if (venueId !== undefined && hidden.includes('venueId'))
        throw new QueryError([{ field: 'venueId', problem: 'is not a field that can be asked for' }]);
      // They say where beacons are.
      if (hidden.includes('location')) return { results: [] };
      const isOfHouse = call.isAdministrator || call.secretKey !== undefined || call.user?.role === 'manager';
      const rows = await listPlacements(db, call, { venueId, beaconId });
      return { results: rows.map((row) => shown(row, isOfHouse)) };
    },
  });
}

/** A placement as shown. Only administrators and managers see e-mails of administrators. */
function shown(row: ListedPlacement, isOfHouse: boolean) {
  const location = JSON.parse(row.location) as Body['location'];
  return {
    beaconId: { __type: 'Pointer' as const, className: 'Beacon' as const, objectId: row.beacon_id },
    location,
    isMoved: !isAt(row.now_at, location),
    verifiedAt: isoTime(row.verified_at),
    ...(row.by_admin === null || !isOfHouse ? {} : { verifiedBy: row.by_admin }),
    ...(row.created_by === null
      ? {}
      : { createdBy: { __type: 'Pointer' as const, className: '_User' as const, objectId: row.created_by } }),
    ...(row.photo_id === null ? {} : { photoId: row.photo_id }),
  };
}

/** Whether a stored location is the place; without a floor it is the ground floor. */
function isAt(stored: string | null | undefined, { x, y, floor }: Body['location']): boolean {
  if (!stored) return false;
  const now = JSON.parse(stored) as Partial<Body['location']>;
  return now.x === x && now.y === y && String(now.floor ?? 0) === String(floor ?? 0);
}

const path = '/beacons/:objectId/placement';
const parameters = { objectId: 'The objectId of the beacon' };

function verify(deps: PlacementDeps): Endpoint {
  const { db } = deps;
  return endpoint<Body, string>({
    method: 'PUT',
    path,
    operationId: 'verifyPlacement',
    tag: beacons.tag,
    summary: 'Verify where a beacon is',
    description:
      'Says that you stand before the beacon and that it is at `location`, which has to be its location: set that first. ' +
      'Who said so and when is kept; when the beacon is moved later, the list says `isMoved`.',
    grant: { of: 'beacons', verb: 'update' },
    parameters,
    body: shape.body({ location: example.location, photoId: example.photoId }),
    answer: {
      status: 200,
      description: 'Verified.',
      schema: Type.Object({ result: Type.Object({ verifiedAt: timestampSchema }) }),
      example: { result: { verifiedAt: exampleUpdated } },
    },
    errors: ['ValidationError', 'ObjectNotFound', 'PreconditionFailed'],
    locate: (call) => locateBeacon(db, call),
    handle: async (call) => {
      const verifiedAt = timeOf(call.body, call.now);
      await assertPicture(deps, call, call.body.photoId);
      await db.transaction((db) => write(db, call, verifiedAt));
      return { result: { verifiedAt: isoTime(verifiedAt) } };
    },
  });
}

async function write(db: Db, call: Call<Body, string>, verifiedAt: number): Promise<void> {
  const { app, located: beaconId, body, user, administrator } = call;
  const { appId } = app;
  if (!isAt(await holdLocation(db, appId, beaconId), body.location))
    throw fail(
      'PreconditionFailed',
      'The beacon is not at this location: it has been moved meanwhile, or was never placed. Look where it is, set its location, and verify again.',
    );
  await writePlacement(db, {
    app_id: appId,
    beacon_id: beaconId,
    location: JSON.stringify(body.location),
    photo_id: body.photoId ?? null,
    verified_at: verifiedAt,
    by_admin: administrator ?? null,
    created_by: user?.userId ?? null,
  });
}

const maxDelayMs = 30 * 86_400_000;
const maxAheadMs = 86_400_000;

/** When it was verified; a time in the future, by a wrong clock, counts as now. @throws Failure ValidationError */
function timeOf({ verifiedAt }: Body, now: number): number {
  if (verifiedAt === undefined) return now;
  const at = parseInstant(verifiedAt);
  if (at === undefined || at > now + maxAheadMs || at < now - maxDelayMs) {
    throw invalid('verifiedAt', 'must be a time of the last 30 days');
  }
  return Math.min(at, now);
}

/** @throws Failure ValidationError, ObjectNotFound */
async function assertPicture({ findFileType }: PlacementDeps, caller: Caller, photoId: string | undefined) {
  if (photoId === undefined) return;
  const type = await findFileType(caller, photoId);
  if (type === undefined) throw fail('ObjectNotFound', `photoId: there is no file ${photoId}.`);
  if (type.startsWith('image/')) return;
  throw invalid('photoId', `must be a picture, and is ${type}`);
}

function withdraw({ db }: PlacementDeps): Endpoint {
  return endpoint<undefined, string>({
    method: 'DELETE',
    path,
    operationId: 'withdrawPlacement',
    tag: beacons.tag,
    summary: 'Withdraw the verification of a beacon',
    description: 'The beacon stays where it is, and the photograph stays among the files.',
    grant: { of: 'beacons', verb: 'update' },
    parameters,
    answer: deletedAnswer,
    errors: ['ObjectNotFound'],
    locate: (call) => locateBeacon(db, call),
    handle: async ({ app, located }) => {
      if (!(await forgetPlacement(db, app.appId, located)))
        throw fail('ObjectNotFound', 'Nobody has verified where this beacon is.');
      return { result: {} };
    },
  });
}
