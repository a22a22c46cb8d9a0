import { refuseQuery } from '@pharos/query';
import { Type } from 'typebox';
import { isSecretOf } from '../../../../access/access.ts';
import { seesWhereabouts } from '../../../../access/caller.ts';
import { notProven, type Provable, type ProvingCaller, proofOf } from '../../../../access/installation-proof.ts';
import { fail } from '../../../../base/errors.ts';
import { exampleId, pointerExample, pointerSchema, recordAnswer } from '../../../../http/answers.ts';
import { type Call, type Endpoint, endpoint, type Tag } from '../../../../http/endpoint.ts';
import type { Context } from '../../../context.ts';
import { readSpot, spotQuery, venuesNear } from '../../../near.ts';
import { planRegions, type Region, type Site } from './plan.ts';
import { findVenueOf, readSite, type Whereabouts } from './store.ts';

/** No app on iOS may monitor more; see plan.ts. */
const maxRegions = 20;

const tag: Tag = { name: 'Regions', description: 'What a phone monitors while the app sleeps.', place: 99 };

const number = Type.Integer({ minimum: 0, maximum: 65_535 });
const result = Type.Object({
  regions: Type.Array(
    Type.Object({
      identifier: Type.String({ description: 'The same for the same region: one that is monitored already can stay' }),
      uuid: Type.String({ description: 'With dashes, in capitals' }),
      major: Type.Optional(number),
      minor: Type.Optional(number),
      place: Type.Optional({
        ...pointerSchema('Venue'),
        description: 'All of the region is in this venue: report entering and leaving it with this place',
      }),
      beaconId: Type.Optional(pointerSchema('Beacon')),
    }),
    { description: 'The most important first' },
  ),
  isComplete: Type.Boolean({ description: 'Each beacon is in one of the regions; else the app has too many UUIDs' }),
});

const uuid = 'B9407F30-F5F8-466E-AFF9-25556B57FE6D';
const example = {
  regions: [
    { identifier: uuid, uuid, place: pointerExample('Venue', exampleId) },
    { identifier: `${uuid}:2`, uuid, major: 2, place: pointerExample('Venue', exampleId) },
    { identifier: `${uuid}:1:12`, uuid, major: 1, minor: 12, beaconId: pointerExample('Beacon', exampleId) },
  ],
  isComplete: true,
};

export function regionEndpoints(deps: Context): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/regions',
      operationId: 'planRegions',
      tag,
      summary: 'Plan which regions a phone monitors',
      description:
        'At most 20, as many as iOS allows an app: every UUID, sections (UUID and major) that the phone is not in, and single beacons, the ' +
        'nearest first, from where the phone is or was last. Ask again whenever one is entered or left. Of beacons that the caller may ' +
        'list. `place` means a region of a whole venue: entering it says nothing about a beacon.',
      grant: { of: 'beacons', verb: 'list', open: 'phone' },
      takesInstallationSecret: true,
      query: [
        {
          name: 'installationId',
          description:
            'Whose whereabouts count: the client’s own id or the objectId. Without it nothing is known of them',
          schema: Type.String({ maxLength: 128 }),
        },
        {
          name: 'venueId',
          description: 'Where the phone is expected, if it is not known to be anywhere',
          schema: Type.String({ maxLength: 64 }),
        },
        ...spotQuery,
        {
          name: 'maxRegions',
          description: 'At most so many regions, as other parts of the app monitor some as well',
          schema: Type.Integer({ minimum: 1, maximum: maxRegions, default: maxRegions }),
        },
      ],
      answer: recordAnswer(result, example),
      errors: ['InvalidQuery', 'ObjectNotFound', 'OperationForbidden', 'Timeout'],
      handle: async (call) => ({ result: await plan(deps, call) }),
    }),
  ];
}

async function plan(deps: Context, call: Call<unknown, unknown>) {
  const limit = readLimit(call.query['maxRegions']);
  const at = await whereabouts(deps, call);
  const hidden = new Set(call.app.rules.of('beacons').hiddenFrom(call));
  if (['uuid', 'major', 'minor'].some((name) => hidden.has(name))) return { regions: [], isComplete: false };
  const site = await readSite(deps.db, call, at);
  const shownSite: Site = hidden.has('location') ? withoutSpots(site) : site;
  const namesVenues = !hidden.has('venueId');
  return {
    regions: planRegions(shownSite, limit).map((region) => shown(region, namesVenues)),
    isComplete: site.uuids.length <= limit,
  };
}

/** The site without places, since the order would reveal how far beacons are from each other. */
function withoutSpots(site: Site): Site {
  const { here, ...rest } = site;
  return {
    ...rest,
    near: site.near.map(({ spot: _spot, ...near }) => near),
    ...(here ? { here: { beaconId: here.beaconId } } : {}),
  };
}

function shown({ uuid: plain, major, minor, venueId, beaconId }: Region, namesVenues: boolean) {
  const uuid = plain.toUpperCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const pointer = (className: 'Venue' | 'Beacon', objectId: string) => ({ __type: 'Pointer', className, objectId });
  return {
    identifier: [uuid, major, minor].filter((part) => part !== undefined).join(':'),
    uuid,
    ...(major === undefined ? {} : { major }),
    ...(minor === undefined ? {} : { minor }),
    ...(venueId === undefined || !namesVenues ? {} : { place: pointer('Venue', venueId) }),
    ...(beaconId === undefined ? {} : { beaconId: pointer('Beacon', beaconId) }),
  };
}

/** @throws Failure InvalidQuery */
function readLimit(text: string | undefined): number {
  if (text === undefined) return maxRegions;
  if (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= maxRegions) return Number(text);
  throw refuseQuery('maxRegions', `must be a whole number from 1 to ${maxRegions}`);
}

/** @throws Failure ObjectNotFound, OperationForbidden */
async function whereabouts(deps: Context, call: Call<unknown, unknown>): Promise<Whereabouts> {
  const { installationId, venueId } = call.query;
  const { db } = deps;
  const { appId } = call.app;
  if (venueId !== undefined && !(await deps.existingVenues(db, appId, [venueId])).has(venueId))
    throw fail('ObjectNotFound', `venueId: there is no venue ${venueId.slice(0, 64)}.`);
  const spot = readSpot(call.query);
  const around = spot && (await venuesNear(deps.server, call, spot));
  const [nearest] = around ?? [];
  const at = nearest ?? venueId;
  const expected: Whereabouts = at === undefined ? {} : { venueId: at };
  if (installationId === undefined) return expected;
  const objectId = await deps.findInstallationId(db, appId, installationId);
  const provable = objectId === undefined ? undefined : await deps.findProvable(db, appId, objectId);
  if (objectId === undefined || !provable)
    throw fail(
      'ObjectNotFound',
      `installationId: there is no installation ${installationId.slice(0, 128)}. Register it first with POST /installations.`,
    );
  if (!mayKnow(call, provable)) throw notProven();
  const known = await deps.findWhereabouts(db, { appId, installationId: objectId });
  if (known.beaconId === undefined && known.venueId === undefined) return expected;
  if (around === undefined || nearest === undefined) return known;
  const last = known.venueId ?? (await findVenueOf(db, appId, known.beaconId ?? ''));
  return last === undefined || around.includes(last) ? known : expected;
}

/** The plan tells where a phone is: to the phone itself, its user, and whoever may know that anyway. */
function mayKnow(call: ProvingCaller, { secretHash, userId }: Provable): boolean {
  const { secret, userId: caller } = proofOf(call);
  if (call.app.policy.pseudonyms !== 'daily' && seesWhereabouts(call)) return true;
  if (userId !== null && caller === userId) return true;
  return secretHash === null ? userId === null : secret !== undefined && isSecretOf(secretHash, secret);
}
