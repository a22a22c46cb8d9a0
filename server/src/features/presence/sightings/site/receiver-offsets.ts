import {
  addPasses,
  addPassesOf,
  countOf,
  type Hearing,
  noHearing,
  offsetOf,
  type Pass,
  type ReceiverOffset,
  receiverOffsetOf,
} from '@pharos/engine';
import { raw, sql } from '../../../../base/sql.ts';
import { bulkInsert, bulkRead } from '../../../../db/bulk.ts';
import type { Database, Db } from '../../../../db/db.ts';
import type { RowOf } from '../../../../db/table.ts';
import { hearings } from '../traces/tables.ts';

/** How loudly phones hear, as it is stored. SQL only. */

/** An installation (`model` empty), a model (`installationId` empty), or all of an app (both empty). */
export interface HearingSubject {
  readonly appId: string;
  readonly installationId: string;
  readonly model: string;
}

export interface StoredHearing extends HearingSubject {
  readonly hearing: Hearing;
  readonly updatedAt: number;
}

type HearingRow = Omit<RowOf<typeof hearings>, 'app_id'>;

const cellsOf = ({ appId, installationId, model }: HearingSubject) => ({
  app_id: appId,
  installation_id: installationId,
  model,
});

const read = bulkRead(hearings, { by: ['app_id', 'installation_id', 'model'], columns: ['hearing'] });

/** In the order of the subjects. */
export async function findHearings(db: Db, subjects: readonly HearingSubject[]): Promise<Hearing[]> {
  const found = await read.of(db, subjects.map(cellsOf));
  return found.map(([row]) => (row === undefined ? noHearing : readHearing(row.hearing)));
}

const readHearing = (text: string): Hearing => ({ ...noHearing, ...(JSON.parse(text) as Partial<Hearing>) });

const saved = bulkInsert(hearings, {
  conflict: raw(`on conflict (app_id, installation_id, model) do update
    set hearing = excluded.hearing, updated_at = excluded.updated_at`),
});

async function saveHearings(db: Db, stored: readonly StoredHearing[]): Promise<void> {
  const cells = stored.map(({ hearing, updatedAt, ...subject }) => ({
    ...cellsOf(subject),
    hearing: JSON.stringify(hearing),
    updated_at: updatedAt,
  }));
  await db.runTogether(saved.each(db.dialect, cells));
}

/** Nobody else adds to what is known about an app until the end of the transaction. */
async function lockHearings(db: Db, appId: string): Promise<void> {
  const { lockNames } = db.dialect;
  if (lockNames) await db.all(lockNames.all([`hearing ${appId}`]));
}

/** There are not so many models in the world; a name is whatever a client says. */
export const maxModels = 1_000;

/** Deletes the models last heard from longest ago, if there are too many. */
async function forgetOldModels(db: Db, appId: string): Promise<void> {
  const models = sql`app_id = ${appId} and installation_id = '' and model <> ''`;
  const row = await db.one<{ n: number }>(sql`select count(*) as n from hearing where ${models}`);
  const over = Number(row?.n ?? 0) - maxModels;
  if (over <= 0) return;
  await db.run(sql`delete from hearing where ${models} and model in (
    select model from hearing where ${models} order by updated_at, model limit ${over})`);
}

/** More models are not shown. */
const maxShown = 500;

/** Of the app, of its models, and of one installation if it is named. */
async function listHearings(db: Db, appId: string, installationId: string): Promise<StoredHearing[]> {
  const rows = await db.all<HearingRow>(
    sql`select installation_id, model, hearing, updated_at from hearing
      where app_id = ${appId} and installation_id in ('', ${installationId})
      order by installation_id desc, model limit ${maxShown}`,
  );
  return rows.map((row) => ({
    appId,
    installationId: row.installation_id,
    model: row.model,
    hearing: readHearing(row.hearing),
    updatedAt: row.updated_at,
  }));
}

/** Of one installation, or of all of the app. */
async function deleteHearings(db: Db, appId: string, installationId?: string): Promise<void> {
  await db.run(sql`delete from hearing where app_id = ${appId}
    and ${installationId === undefined ? raw('1 = 1') : sql`installation_id = ${installationId}`}`);
}

/**
 * What traffic teaches about how loudly phones hear (hearing.ts of the engine): gathered in memory and written from time to
 * time. What a process has gathered and not yet written is lost with it, and gathered again by the next visits.
 */

/** A phone that hears beacons. */
export interface HearingPhone {
  readonly appId: string;
  readonly installationId: string;
  /** null: it has not said. */
  readonly model: string | null;
}

interface Gathered {
  readonly listener: HearingPhone;
  /** With the time (ms) at which each was recorded. */
  readonly passes: (Pass & { readonly at: number })[];
}

/** More phones, or more of one phone, are not gathered at once. */
const maxInstallations = 10_000;
const maxPasses = 200;
/** How many phones are written in one transaction. */
const together = 200;

const ofInstallation = ({ appId, installationId }: HearingPhone): HearingSubject => ({
  appId,
  installationId,
  model: '',
});
const ofModel = (appId: string, model: string): HearingSubject => ({ appId, installationId: '', model });
/** A text without words names no model: the empty one stands for all phones of the app. */
const modelOf = ({ model }: HearingPhone): string | null => model?.trim() || null;

/** Those of the installations that have not been erased, and whose visitors have not refused analytics. */
type FindLearnable = (db: Db, appId: string, objectIds: readonly string[]) => Promise<ReadonlySet<string>>;

export class HearingLearning {
  readonly #db: Database;
  readonly #findLearnable: FindLearnable;
  #gathered = new Map<string, Gathered>();

  constructor(db: Database, findLearnable: FindLearnable) {
    this.#db = db;
    this.#findLearnable = findLearnable;
  }

  /** `at`: the service's clock, ms. */
  note(listener: HearingPhone, passes: readonly Pass[], at: number): void {
    this.#keep(
      listener,
      passes.map((pass) => ({ ...pass, at })),
    );
  }

  #keep(listener: HearingPhone, passes: Gathered['passes']): void {
    if (passes.length === 0) return;
    const key = `${listener.appId} ${listener.installationId}`;
    const known = this.#gathered.get(key);
    if (known === undefined && this.#gathered.size >= maxInstallations) return;
    const own = known ?? { listener, passes: [] };
    own.passes.push(...passes.slice(0, maxPasses - own.passes.length));
    this.#gathered.set(key, own);
  }

  /** Writes what was gathered. */
  async flush(now: number): Promise<void> {
    const gathered = [...this.#gathered].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
    this.#gathered = new Map();
    const failed: unknown[] = [];
    for (const [, ofApp] of Map.groupBy(gathered, ({ listener }) => listener.appId))
      for (let start = 0; start < ofApp.length; start += together) {
        const part = ofApp.slice(start, start + together);
        try {
          await this.#write(part, now);
        } catch (error) {
          // The database may be down for a while: next time.
          for (const { listener, passes } of part) this.#keep(listener, passes);
          failed.push(error);
        }
      }
    if (failed.length > 0) throw failed[0];
  }

  async #write(part: readonly Gathered[], now: number): Promise<void> {
    const [{ listener }] = part as [Gathered];
    await this.#db.transaction(async (db) => {
      await lockHearings(db, listener.appId);
      await store(db, await this.#present(db, part), now);
    });
  }

  /** Without those of phones that were erased, or whose visitors refused, since they were heard. */
  async #present(db: Db, gathered: readonly Gathered[]): Promise<readonly Gathered[]> {
    const [{ listener }] = gathered as [Gathered];
    const ids = gathered.map(({ listener }) => listener.installationId);
    const present = await this.#findLearnable(db, listener.appId, ids);
    return gathered.filter(({ listener }) => present.has(listener.installationId));
  }

  async list(appId: string, installationId = '') {
    return (await listHearings(this.#db, appId, installationId)).map(viewOf);
  }

  /** Deletes what was learned about one phone, or about all phones and models; learning starts again. */
  async reset(appId: string, installationId?: string): Promise<void> {
    for (const [key, { listener }] of this.#gathered)
      if (listener.appId === appId && (installationId ?? listener.installationId) === listener.installationId)
        this.#gathered.delete(key);
    await deleteHearings(this.#db, appId, installationId);
  }
}

function viewOf({ installationId, model, hearing, updatedAt }: StoredHearing) {
  const loss = offsetOf(hearing)?.loss;
  return {
    ...(installationId === '' ? {} : { installationId }),
    ...(model === '' ? {} : { model }),
    passes: Math.round(countOf(hearing.placed) + countOf(hearing.heard)),
    loss: loss === undefined ? null : Math.round(10 * loss) / 10,
    updatedAt,
  };
}

/** How the phones are known to hear, in their order: by themselves, else by their model, else by all of the app. */
export async function findReceiverOffsets(
  db: Db,
  listeners: readonly HearingPhone[],
): Promise<(ReceiverOffset | null)[]> {
  const subjects = listeners.flatMap((one) => [
    ofInstallation(one),
    ofModel(one.appId, modelOf(one) ?? ''),
    ofModel(one.appId, ''),
  ]);
  const found = await findHearings(db, subjects);
  return listeners.map((one, index) => {
    const [own, alike, site] = found.slice(3 * index, 3 * index + 3).map(offsetOf);
    return receiverOffsetOf(own ?? null, { model: modelOf(one) === null ? null : (alike ?? null), site: site ?? null });
  });
}

const keyOf = ({ installationId, model }: HearingSubject) => `${installationId} ${model}`;

/** Adds what phones of one app have measured to what is stored of them, of their models and of the app. */
async function store(db: Db, gathered: readonly Gathered[], now: number): Promise<void> {
  const appId = gathered[0]?.listener.appId;
  if (appId === undefined) return;
  const models = new Set(['', ...gathered.flatMap(({ listener }) => modelOf(listener) ?? [])]);
  const subjects = [
    ...gathered.map(({ listener }) => ofInstallation(listener)),
    ...[...models].map((model) => ofModel(appId, model)),
  ];
  const stored = await findHearings(db, subjects);
  const known = new Map<string, Hearing>(
    subjects.map((subject, index) => [keyOf(subject), stored[index] ?? noHearing]),
  );
  for (const { listener, passes } of gathered) {
    const ownKey = keyOf(ofInstallation(listener));
    const own = known.get(ownKey) ?? noHearing;
    known.set(
      ownKey,
      passes.reduce((sum, pass) => addPasses(sum, [pass], pass.at), own),
    );
    for (const model of new Set(['', modelOf(listener) ?? ''])) {
      const key = keyOf(ofModel(appId, model));
      known.set(key, addPassesOf(listener.installationId, own, { to: known.get(key) ?? noHearing, passes }));
    }
  }
  await saveHearings(
    db,
    subjects.map((subject) => ({ ...subject, hearing: known.get(keyOf(subject)) ?? noHearing, updatedAt: now })),
  );
  await forgetOldModels(db, appId);
}
