import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { LinesFile } from './files.ts';
import type { LostFiles } from './lost.ts';

/** The table of contents of a backup, `manifest.json`. It is written last: a folder that has one is complete. */
export interface Manifest {
  readonly format: 'pharos-backup';
  readonly version: 1;
  /** The version of Pharos that made the backup. */
  readonly pharos: string;
  readonly createdAt: string;
  /** The only app that is in it, in an archive of one app; absent in a backup of everything. */
  readonly appId?: string;
  /** The newest migration of the source database. */
  readonly migration: number;
  readonly tables: Readonly<Record<string, LinesFile>>;
  /** The files that clients have uploaded, in `files/`. */
  readonly blobs: LinesFile & {
    readonly bytes: number;
    /** Present if they were left where they are; then none is in `files/`. */
    readonly elsewhere?: Elsewhere;
  };
  /** Files that are listed but whose bytes the storage did not have; absent in backups of older versions. */
  readonly lost?: LostFiles;
}

/** Files whose bytes are not in the backup, because they lie in a storage of their own. */
export interface Elsewhere {
  /** For people, without credentials. */
  readonly place: string;
  readonly files: number;
  readonly bytes: number;
}

export const manifestName = 'manifest.json';

/** Names are simple, so that a manifest cannot point outside its folder or into the SQL. */
const linesFile = {
  file: Type.String({ pattern: '^[a-z0-9_]+\\.ndjson\\.gz$' }),
  rows: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
};

const manifestSchema = Type.Object({
  format: Type.Literal('pharos-backup'),
  version: Type.Literal(1),
  pharos: Type.String(),
  createdAt: Type.String(),
  appId: Type.Optional(Type.String({ pattern: '^[0-9A-Za-z]{1,64}$' })),
  migration: Type.Integer({ minimum: 1 }),
  tables: Type.Record(Type.String({ pattern: '^[a-z0-9_]+$' }), Type.Object(linesFile), {
    additionalProperties: false,
  }),
  blobs: Type.Object({
    ...linesFile,
    bytes: Type.Integer({ minimum: 0 }),
    elsewhere: Type.Optional(
      Type.Object({
        place: Type.String(),
        files: Type.Integer({ minimum: 0 }),
        bytes: Type.Integer({ minimum: 0 }),
      }),
    ),
  }),
  lost: Type.Optional(
    Type.Object({
      count: Type.Integer({ minimum: 0 }),
      files: Type.Array(Type.Object({ appId: Type.String(), objectId: Type.String(), name: Type.String() })),
    }),
  ),
});

/** @throws Error when the folder holds no backup, or one in a form that this version cannot read */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, manifestName);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new Error(`There is no backup in ${folder}: it has no readable ${manifestName}.`, { cause });
  });
  const version = /"version"\s*:\s*(\d+)/.exec(text)?.[1];
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${path} is damaged: it is not JSON.`, { cause });
  }
  if (Compile(manifestSchema).Check(manifest)) return manifest as Manifest;
  if (version !== '1') throw new Error(`${path} has version ${version}; this version of Pharos reads version 1.`);
  throw new Error(`${path} is damaged: it does not have the form of a manifest.`);
}
