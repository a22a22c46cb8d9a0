import { statfs } from 'node:fs/promises';
import { Type } from 'typebox';
import { newestMigration } from '../../../db/migrate.ts';
import { isoTime, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { Context } from '../../context.ts';
import type { LoadStep } from './load-history.ts';

const count = Type.Integer({ minimum: 0 });
const bytes = (description: string) => Type.Number({ minimum: 0, description });

const loadStep = Type.Object({
  at: timestampSchema,
  requests: Type.Integer({ minimum: 0, description: 'Answered in the five minutes until then' }),
  answerMs: Type.Union([Type.Number(), Type.Null()], {
    description: 'How long an answer took on average, milliseconds; null: there was none',
  }),
  queued: Type.Integer({ minimum: 0, description: 'Jobs that waited then' }),
  freeBytes: bytes('Free on the disk of the data folder then'),
});

const systemSchema = Type.Object({
  version: Type.String({ description: 'Of Pharos' }),
  node: Type.String({ description: 'The version of Node' }),
  startedAt: timestampSchema,
  now: timestampSchema,
  database: Type.Object({
    product: Type.String({ description: 'Product and version' }),
    migration: Type.Integer({ description: 'The newest migration that has been applied' }),
    walBytes: bytes('The write-ahead log on disk; 0 if the database does not reveal it'),
    queuedWrites: count,
    queuedSlowQueries: count,
  }),
  jobs: Type.Object({ queued: count, scheduled: count, running: count, dead: count }),
  storage: Type.Object({
    problem: Type.Union([Type.String(), Type.Null()], {
      description: 'Why writes or new content are refused at the moment, and what to do',
    }),
    warning: Type.Union([Type.String(), Type.Null()], { description: 'What will soon become a problem' }),
    minFreeBytes: bytes('New content is refused while less space is free on the disk'),
    reserveBytes: bytes('Reserved for a full disk'),
  }),
  disk: Type.Object({ freeBytes: bytes('Free on the disk of the data folder'), totalBytes: bytes('The whole disk') }),
  memory: Type.Object({
    residentBytes: bytes('Resident memory of the process'),
    heapBytes: bytes('The part used by JavaScript objects'),
  }),
  load: Type.Array(loadStep, {
    description: 'Of this process: the last day in steps of five minutes, or since its start',
  }),
});

interface Deps extends Pick<Context, 'db' | 'now'> {
  readonly version: string;
  readonly dataFolder: string;
  readonly storage: () => Promise<{
    readonly problem: string | undefined;
    readonly warning: string | undefined;
    readonly minFreeBytes: number;
    readonly reserveBytes: number;
  }>;
  readonly countJobs: () => Promise<Readonly<Record<string, number>>>;
  readonly load: () => readonly LoadStep[];
}

export async function freeOn(folder: string) {
  const disk = await statfs(folder);
  return { freeBytes: disk.bavail * disk.bsize, totalBytes: disk.blocks * disk.bsize };
}

/** The state of this process and its storage, for people. `/metrics` is the same for machines. */
export function systemConsoleEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { db, now, version, dataFolder, countJobs } = deps;
  const startedAt = now();
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/system',
      operationId: 'getSystem',
      summary: 'The state of the service',
      permission: 'system.read',
      answer: recordAnswer(systemSchema),
      async handle() {
        const [jobs, product, migration, disk, storage] = await Promise.all([
          countJobs(),
          db.describe(),
          newestMigration((statement) => db.all(statement)),
          freeOn(dataFolder),
          deps.storage(),
        ]);
        const { rss, heapUsed } = process.memoryUsage();
        return {
          result: {
            version,
            node: process.version,
            startedAt: isoTime(startedAt),
            now: isoTime(now()),
            database: { product, migration, ...db.stats() },
            jobs,
            storage: { ...storage, problem: storage.problem ?? null, warning: storage.warning ?? null },
            disk,
            memory: { residentBytes: rss, heapBytes: heapUsed },
            load: deps.load().map(({ at, ...rest }) => ({ at: isoTime(at), ...rest })),
          },
        };
      },
    }),
  ];
}
