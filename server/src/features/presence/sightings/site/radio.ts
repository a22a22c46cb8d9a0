import { addEvidence, type Evidence, type Learned, learnedFrom, noEvidence } from '@pharos/engine';
import type { LearnedOfPower } from '@pharos/engine/decide';
import { Type } from 'typebox';
import { beaconsOf } from '../../../../access/venue-limit.ts';
import { fail } from '../../../../base/errors.ts';
import { raw, sql } from '../../../../base/sql.ts';
import { bulkRead } from '../../../../db/bulk.ts';
import type { Database, Db } from '../../../../db/db.ts';
import type { CacheVersion } from '../../../../db/nodes/cache-version.ts';
import type { RowOf } from '../../../../db/table.ts';
import {
  deletedAnswer,
  exampleId,
  isoTime,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../../http/console/console-endpoint.ts';
import { beaconRadio } from '../traces/tables.ts';
import type { HearingLearning } from './receiver-offsets.ts';

/**
 * What traffic teaches about the radio of beacons: gathered in memory, since many visitors pass one beacon, and written from time
 * to time. What a process has gathered and not yet written is lost with it, and gathered again by the next visitors.
 */

type Halves = readonly [Evidence, Evidence];

/** As it is stored; it says something only about the measured power that it was learned under. */
interface StoredEvidence {
  readonly power: number | null;
  readonly halves: Halves;
}

type RadioRow = Omit<RowOf<typeof beaconRadio>, 'app_id'>;

const nothing: Halves = [noEvidence, noEvidence];
/** More beacons are not gathered for at once. */
const MAX_BEACONS = 10_000;
/** How long visitors count for one half before they count for the other, ms. */
const HALF_MS = 60_000;

const sum = (a: Halves, b: Halves): Halves => [addEvidence(a[0], b[0]), addEvidence(a[1], b[1])];

export class RadioLearning {
  readonly #db: Database;
  readonly #cacheVersion: CacheVersion;
  readonly #gathered = new Map<string, Map<string, Halves>>();
  #beacons = 0;

  constructor(db: Database, cacheVersion: CacheVersion) {
    this.#db = db;
    this.#cacheVersion = cacheVersion;
  }

  /** `at` (ms) says for which half it counts. */
  note(appId: string, evidence: Readonly<Record<string, Evidence>>, at: number): void {
    const ofApp = this.#gathered.get(appId) ?? new Map<string, Halves>();
    for (const [beaconId, one] of Object.entries(evidence)) {
      const known = ofApp.get(beaconId);
      if (known === undefined && ++this.#beacons > MAX_BEACONS) return;
      const isFirst = Math.floor(at / HALF_MS) % 2 === 0;
      ofApp.set(beaconId, sum(known ?? nothing, isFirst ? [one, noEvidence] : [noEvidence, one]));
    }
    if (ofApp.size > 0) this.#gathered.set(appId, ofApp);
  }

  /** Writes what was gathered, and lets the engine know where a correction has changed. */
  async flush(now: number): Promise<void> {
    const gathered = [...this.#gathered];
    this.#gathered.clear();
    this.#beacons = 0;
    for (const [appId, beacons] of gathered)
      await this.#db.transaction(async (db) => {
        let hasChanged = false;
        for (const [beaconId, halves] of [...beacons].sort(([a], [b]) => (a < b ? -1 : 1)))
          hasChanged = (await store(db, { appId, beaconId, halves, now })) || hasChanged;
        if (hasChanged) await this.#cacheVersion.note(db, appId);
      });
  }

  async list(
    appId: string,
    {
      beaconId,
      venues,
    }: { readonly beaconId?: string | undefined; readonly venues?: readonly string[] | undefined } = {},
  ) {
    const rows = await this.#db.all<RadioRow>(
      sql`select beacon_id, evidence, learned, updated_at from beacon_radio where app_id = ${appId}
        and ${beaconId ? sql`beacon_id = ${beaconId}` : raw('1 = 1')}
        and ${venues ? beaconsOf(raw('beacon_id'), appId, venues) : raw('1 = 1')} order by beacon_id`,
    );
    return rows.map(({ beacon_id: beaconId, evidence, learned, updated_at: updatedAt }) => {
      const [a, b] = (JSON.parse(evidence) as StoredEvidence).halves;
      return { beaconId, seconds: Math.round(a.n + b.n), learned: learnedOf(learned), updatedAt };
    });
  }

  /**
   * Deletes what was learned about a beacon; learning starts again.
   *
   * @throws Failure ObjectNotFound for a beacon outside of `venues`
   */
  async reset(appId: string, beaconId: string, venues?: readonly string[]): Promise<void> {
    const isWithin = sql`select object_id from beacons where app_id = ${appId} and object_id = ${beaconId}
      and ${venues ? beaconsOf(raw('object_id'), appId, venues) : raw('1 = 1')}`;
    if (venues && !(await this.#db.one(isWithin))) throw fail('ObjectNotFound');
    this.#gathered.get(appId)?.delete(beaconId);
    await this.#db.transaction(async (db) => {
      await db.run(sql`delete from beacon_radio where app_id = ${appId} and beacon_id = ${beaconId}`);
      await this.#cacheVersion.note(db, appId);
    });
  }
}

const learnedOfBeacons = bulkRead(beaconRadio, { by: ['app_id', 'beacon_id'], columns: ['learned'] });

/** What was learned of each beacon of which something was. */
export async function findLearned(
  db: Db,
  appId: string,
  beaconIds: readonly string[],
): Promise<ReadonlyMap<string, LearnedOfPower>> {
  const found = await learnedOfBeacons.of(
    db,
    beaconIds.map((beacon_id) => ({ app_id: appId, beacon_id })),
  );
  return new Map(
    found.flatMap(([row], place) =>
      row?.learned ? [[beaconIds[place] ?? '', JSON.parse(row.learned) as LearnedOfPower] as const] : [],
    ),
  );
}

function learnedOf(text: string | null): Learned | null {
  if (text === null) return null;
  const { loss, exponent } = JSON.parse(text) as LearnedOfPower;
  return { loss, exponent };
}

const tenths = (value: number) => Math.round(value * 10) / 10;

interface Gathered {
  readonly appId: string;
  readonly beaconId: string;
  readonly halves: Halves;
  readonly now: number;
}

/** Adds to what is stored about a beacon; returns whether its correction has changed. */
async function store(db: Db, { appId, beaconId, halves, now }: Gathered): Promise<boolean> {
  const beacon = await db.one<{ measured_power: number | null }>(
    sql`select measured_power from beacons where app_id = ${appId} and object_id = ${beaconId}`,
  );
  if (!beacon) return false;
  const power = beacon.measured_power;
  const row = await db.one<RadioRow>(
    sql`select beacon_id, evidence, learned, updated_at from beacon_radio where app_id = ${appId} and beacon_id = ${beaconId}`,
  );
  const stored = row ? (JSON.parse(row.evidence) as StoredEvidence) : undefined;
  const all = stored?.power === power ? sum(stored.halves, halves) : halves;
  const found = learnedFrom([all[0], all[1]]);
  // A change of a tenth of a decibel is not worth reading all beacons again.
  const learned = found && JSON.stringify({ loss: tenths(found.loss), exponent: tenths(found.exponent), power });
  const evidence = JSON.stringify({ power, halves: all } satisfies StoredEvidence);
  await db.run(sql`insert into beacon_radio (app_id, beacon_id, evidence, learned, updated_at)
    values (${appId}, ${beaconId}, ${evidence}, ${learned}, ${now})
    on conflict (app_id, beacon_id) do update
      set evidence = excluded.evidence, learned = excluded.learned, updated_at = excluded.updated_at`);
  return (row?.learned ?? null) !== learned;
}

/** Shows and deletes what was learned about beacons. */

const learned = Type.Object({
  loss: Type.Number({ description: 'How many dB more are lost than the measured power says' }),
  exponent: Type.Number({ description: 'By how much the path-loss exponent is more than 2' }),
});
const schema = Type.Array(
  Type.Object({
    beaconId: objectIdSchema,
    seconds: Type.Integer({ description: 'Seconds of visitors with a sure position from which it was learned' }),
    learned: Type.Union([learned, Type.Null()], { description: 'null: no correction would predict better than none' }),
    updatedAt: timestampSchema,
  }),
);
export function radioConsoleEndpoints(radio: RadioLearning): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/radio',
      operationId: 'listRadio',
      summary: 'List what traffic has taught about the radio of each beacon',
      permission: 'activity.read',
      narrows: 'venues',
      query: [{ name: 'beaconId', description: 'Only of this beacon', schema: objectIdSchema, example: exampleId }],
      answer: recordAnswer(schema),
      async handle({ params: { appId = '' }, query: { beaconId }, admin }) {
        const found = await radio.list(appId, { beaconId, venues: signedIn(admin).venues });
        return { result: found.map(({ updatedAt, ...rest }) => ({ ...rest, updatedAt: isoTime(updatedAt) })) };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId/radio/:beaconId',
      operationId: 'resetRadio',
      summary: 'Forget what was learned about a beacon',
      permission: 'beacons.write',
      narrows: 'venues',
      answer: deletedAnswer,
      handle: ({ params: { appId = '', beaconId = '' }, admin }) =>
        radio.reset(appId, beaconId, signedIn(admin).venues),
    }),
  ];
}

/** Shows and deletes what was learned about how loudly phones hear. */

const offsetSchema = Type.Array(
  Type.Object({
    installationId: Type.Optional(objectIdSchema),
    model: Type.Optional(Type.String({ description: 'The deviceModel of installations' })),
    passes: Type.Integer({ description: 'Beacons that were passed, from which it was learned' }),
    loss: Type.Union([Type.Number(), Type.Null()], {
      description: 'How many dB less is heard than expected; null: no correction would predict better than none',
    }),
    updatedAt: timestampSchema,
  }),
  { description: 'The installation, if one is named; all phones (neither installationId nor model); the models' },
);
export interface HearingRouteDeps {
  readonly hearing: HearingLearning;
  readonly pseudonymsOf: (appId: string) => Promise<unknown>;
}

export function hearingConsoleEndpoints({ hearing, pseudonymsOf }: HearingRouteDeps): readonly ConsoleEndpoint[] {
  const reset = { method: 'DELETE', permission: 'apps.change' } as const;
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/hearing',
      operationId: 'listHearing',
      summary: 'List what traffic has taught about how loud phones hear',
      permission: 'installations.read',
      query: [
        {
          name: 'installationId',
          description: 'An installation to be told of as well',
          schema: objectIdSchema,
          example: exampleId,
        },
      ],
      answer: recordAnswer(offsetSchema),
      async handle({ params: { appId = '' }, query: { installationId } }) {
        if (installationId !== undefined && (await pseudonymsOf(appId))) throw fail('OperationForbidden');
        const found = await hearing.list(appId, installationId);
        return { result: found.map(({ updatedAt, ...rest }) => ({ ...rest, updatedAt: isoTime(updatedAt) })) };
      },
    }),
    consoleEndpoint({
      ...reset,
      path: '/apps/:appId/hearing',
      operationId: 'resetAllHearing',
      summary: 'Forget what was learned about how loud all phones and models hear',
      answer: deletedAnswer,
      handle: ({ params: { appId = '' } }) => hearing.reset(appId),
    }),
    consoleEndpoint({
      ...reset,
      path: '/apps/:appId/hearing/:installationId',
      operationId: 'resetHearing',
      summary: 'Forget what was learned about how loud one phone hears',
      answer: deletedAnswer,
      handle: ({ params: { appId = '', installationId = '' } }) => hearing.reset(appId, installationId),
    }),
  ];
}
