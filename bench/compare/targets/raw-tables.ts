import type Sqlite from 'better-sqlite3';
import type { Document } from '../documents.ts';

/** The members that a schema declares have an index each; as in the service, the index includes the others. */
export function createRawTables(raw: Sqlite.Database): void {
  raw.exec(`
    create table sightings (object_id text primary key, species text, count real, seen_at real, note text, extra text,
      created_at integer not null, updated_at integer not null) without rowid;
    create index sightings_species on sightings (species, object_id, count, seen_at);
    create index sightings_count on sightings (count, object_id, species, seen_at);
    create index sightings_species_count on sightings (species, count, object_id);
    create index sightings_seen on sightings (seen_at, object_id, species, count);
    create table notes (object_id text primary key, species text, count real, seen_at real, note text, extra text,
      created_at integer not null, updated_at integer not null) without rowid;
  `);
}

export type RawTable = 'sightings' | 'notes';

export interface RawRecord {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly document: Document;
}

export function rawInserts(raw: Sqlite.Database): (table: RawTable, record: RawRecord) => void {
  const insertInto = (table: RawTable) => raw.prepare(`insert into ${table} values (?, ?, ?, ?, ?, ?, ?, ?)`);
  const inserts = { sightings: insertInto('sightings'), notes: insertInto('notes') };
  return (table, { id, now, document: { species, count, seenAt, note, extra } }) =>
    void inserts[table].run(id, species, count, Date.parse(seenAt), note, JSON.stringify(extra), now, now);
}
