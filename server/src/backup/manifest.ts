import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';

export const manifestName = 'manifest.json';

/** Names are simple, so that a manifest cannot point outside its folder or into the SQL. */
const linesFile = {
  file: Type.String({ pattern: '^[a-z0-9_]+\\.ndjson\\.gz$' }),
  rows: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
};

const elsewhere = Type.Object({
  place: Type.String({ description: 'For people, without credentials' }),
  files: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
});
/** Files whose bytes are not in the backup, because they lie in a storage of their own. */
export type Elsewhere = Static<typeof elsewhere>;

const manifestSchema = Type.Object({
  format: Type.Literal('pharos-backup'),
  version: Type.Literal(1),
  pharos: Type.String({ description: 'The version that made the backup' }),
  createdAt: Type.String(),
  appId: Type.Optional(
    Type.String({ pattern: '^[0-9A-Za-z]{1,64}$', description: 'The only app in it, of an archive of one' }),
  ),
  migration: Type.Integer({ minimum: 1, description: 'The newest of the source database' }),
  tables: Type.Record(Type.String({ pattern: '^[a-z0-9_]+$' }), Type.Object(linesFile), {
    additionalProperties: false,
  }),
  blobs: Type.Object({
    ...linesFile,
    bytes: Type.Integer({ minimum: 0 }),
    elsewhere: Type.Optional(elsewhere),
  }),
  /** Files that are listed but whose bytes the storage did not have; absent in backups of older versions. */
  lost: Type.Optional(
    Type.Object({
      count: Type.Integer({ minimum: 0 }),
      files: Type.Array(Type.Object({ appId: Type.String(), objectId: Type.String(), name: Type.String() })),
    }),
  ),
});
/** The table of contents of a backup, `manifest.json`. It is written last: a folder that has one is complete. */
export type Manifest = Static<typeof manifestSchema>;

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
  if (Compile(manifestSchema).Check(manifest)) return manifest;
  if (version !== '1') throw new Error(`${path} has version ${version}; this version of Pharos reads version 1.`);
  throw new Error(`${path} is damaged: it does not have the form of a manifest.`);
}
