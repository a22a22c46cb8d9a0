import { type Static, Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { isoTime, objectIdSchema, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import type { Context } from '../../context.ts';
import { dayIn } from '../../zone-day.ts';
import { placeIn } from './check.ts';
import { findingKinds } from './detect/fleet.ts';
import type { FindingRow } from './finding-store.ts';
import { findingStates, listFindings, setState } from './finding-store.ts';

interface FindingWordsDeps {
  /** What a beacon is called. */
  readonly nameOf: (beaconId: string) => string;
  readonly timeZone: string;
}

/** Why it was found, and what to do. */
function wordsOf({ kind, facts: text }: Pick<FindingRow, 'kind' | 'facts'>, deps: FindingWordsDeps): string {
  const { nameOf, timeZone } = deps;
  const facts = JSON.parse(text) as Readonly<Record<string, string | number>>;
  const place = (name: string) => nameOf(String(facts[name]));
  const day = (name: string) => dayIn(timeZone, Number(facts[name])).day;
  switch (kind) {
    case 'silent':
      return `It has not been heard for ${facts['openHours']} hours in which it usually is. Its battery may be empty, or it was taken away.`;
    case 'battery':
      return `About ${facts['charge']} % are left. It will be empty on ${day('emptyAt')}, in nine of ten cases between ${day('earliest')} and ${day('latest')}.`;
    case 'moved':
      return `It is heard near ${place('away')} and no longer near ${place('home')}. Put it back, or change its place on the plan.`;
    case 'cloned':
      return `It is heard near ${place('home')} and near ${place('away')} at the same time: another beacon sends the same numbers.`;
    case 'bleeding':
      return `Much of the time it is heard near ${place('away')}, where it should not be. Lower its power, or move it.`;
    case 'setting':
      return settingWords(facts);
  }
}

function settingWords({ what, own, usual }: Readonly<Record<string, string | number>>): string {
  if (what === 'power') return 'Its measured power is not that of most others in the venue. Compare their settings.';
  if (what === 'interval')
    return `It sends every ${own} ms; most others in the venue send every ${usual} ms. Compare their settings.`;
  return Number(own) > 0
    ? 'It is heard much louder than the others in the venue. Compare their settings.'
    : 'It is heard much more quietly than the others in the venue. Something may cover it; else compare their settings.';
}

type FindingDeps = Pick<Context, 'db' | 'assertApp' | 'listWhereBeaconsAre' | 'findBeaconNames'>;

const state = Type.Enum([...findingStates], {
  description:
    'open: somebody has to see to it; seen: somebody knows; done: somebody has mended it, and it is open again if it is still found three days later; muted: nobody wants to know, now or later',
});

const schema = Type.Array(
  Type.Object({
    beaconId: objectIdSchema,
    name: Type.String(),
    kind: Type.Enum([...findingKinds]),
    text: Type.String({ description: 'Why it was found, and what to do' }),
    since: timestampSchema,
    isFound: Type.Boolean({ description: 'False: it is over, but was mended in the last 120 days, or is muted' }),
    state,
    stateAt: Type.Optional(timestampSchema),
    by: Type.Optional(Type.String({ description: 'The e-mail of the administrator' })),
    venueId: Type.Optional(objectIdSchema),
    location: Type.Optional(Type.Object({ x: Type.Number(), y: Type.Number(), floor: Type.Number() })),
  }),
);

const shape = defineShape(Type.Object({ state }));

export function findingEndpoints(deps: FindingDeps): readonly ConsoleEndpoint[] {
  const shared = {
    narrows: 'venues',
  } as const;
  return [
    consoleEndpoint({
      ...shared,
      method: 'GET',
      path: '/apps/:appId/findings',
      operationId: 'listFindings',
      summary: 'List what is wrong with beacons',
      description: 'As it was found in the last half hour.',
      permission: 'beacons.read',
      answer: recordAnswer(schema),
      handle: async ({ params: { appId = '' }, admin }) => ({
        result: await shown(deps, appId, signedIn(admin).venues),
      }),
    }),
    consoleEndpoint<Static<typeof shape.schema>>({
      ...shared,
      method: 'PUT',
      path: '/apps/:appId/findings/:beaconId/:kind',
      operationId: 'changeFinding',
      summary: 'Say what has become of something that is wrong with a beacon',
      permission: 'beacons.write',
      body: shape.body({ state: 'done' }),
      answer: recordAnswer(Type.Object({})),
      handle: async ({ params: { appId = '', beaconId = '', kind = '' }, body, admin, now }) => {
        const { email, venues } = signedIn(admin);
        const where =
          venues && (await deps.listWhereBeaconsAre(deps.db, appId)).find(({ objectId }) => objectId === beaconId);
        const isWithin = !venues || (where?.venueId != null && venues.includes(where.venueId));
        const change = { state: body.state, by: email, now };
        if (!isWithin || !(await setState(deps.db, { appId, beaconId, kind }, change)))
          throw fail('ObjectNotFound', 'This is no longer found.');
        return { result: {} };
      },
    }),
  ];
}

async function shown(
  { db, assertApp, listWhereBeaconsAre, findBeaconNames }: FindingDeps,
  appId: string,
  venues: readonly string[] | undefined,
) {
  const rows = await listFindings(db, appId);
  if (rows.length === 0) return [];
  const { timeZone } = (await assertApp(appId)).policy;
  const where = new Map((await listWhereBeaconsAre(db, appId)).map((one) => [one.objectId, one]));
  const names = await findBeaconNames(db, appId, namedIn(rows));
  const nameOf = (id: string) => names.get(id) ?? id;
  return rows
    .filter(({ beacon_id: id }) => {
      const venueId = where.get(id)?.venueId;
      // Of a beacon that is deleted nothing has to be mended.
      return where.has(id) && (!venues || (venueId != null && venues.includes(venueId)));
    })
    .map((row) => {
      const { venueId, location: at = null } = where.get(row.beacon_id) ?? {};
      const location = placeIn(at);
      return {
        ...{ beaconId: row.beacon_id, name: nameOf(row.beacon_id), kind: row.kind, state: row.state },
        ...{ text: wordsOf(row, { nameOf, timeZone }), since: isoTime(row.since), isFound: row.found_at !== null },
        ...(row.state_at === null ? {} : { stateAt: isoTime(row.state_at) }),
        ...(row.by_admin === null ? {} : { by: row.by_admin }),
        ...(venueId == null ? {} : { venueId }),
        ...(location && { location }),
      };
    });
}

/** The beacons that the texts name. */
const namedIn = (rows: readonly FindingRow[]): string[] => [
  ...new Set(
    rows.flatMap(({ beacon_id: id, facts }) => {
      const { home, away } = JSON.parse(facts) as { readonly home?: string; readonly away?: string };
      return [id, home ?? id, away ?? id];
    }),
  ),
];
