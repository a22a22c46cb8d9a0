import { Batcher } from '../../../../db/batcher.ts';
import type { Database, Db } from '../../../../db/db.ts';
import { insertRecord, insertRecords, type RecordWrite } from '../definition/record-store.ts';

/** Concurrent statements, and the most records, and characters of their documents, in one. */
const together = { slots: 4, most: 64, maxWeight: 1_000_000 } as const;

/** Stores a new record. False if the bucket's definition has changed, or the bucket is gone. */
export type InsertRecord = (write: RecordWrite) => Promise<boolean>;

/**
 * Over the network, records that are created at the same moment share a statement (ADR 11): a round trip and the cost
 * of a statement exceed that of the row. An embedded database combines them in one commit anyway.
 */
export function createRecordInserter(db: Database): InsertRecord {
  if (db.readsAreLocal) return (write) => insertRecord(db, write);
  const batcher = new Batcher<RecordWrite, boolean>({
    ...together,
    weigh: ({ document }) => document.length,
    tenantOf: ({ key }) => key.appId,
    run: (writes) => insertTogether(db, writes),
    runAlone: (write) => insertRecord(db, write),
  });
  return (write) => batcher.add(write);
}

const byId = (a: RecordWrite, b: RecordWrite) => (a.key.objectId < b.key.objectId ? -1 : 1);

async function insertTogether(db: Database, writes: readonly RecordWrite[]): Promise<boolean[]> {
  const groups = [...Map.groupBy(writes, ({ key, version }) => `${key.appId} ${key.bucketId} ${version}`).values()];
  const isDone = new Map<RecordWrite, boolean>();
  const insertGroups = async (db: Db) => {
    for (const group of groups) {
      // In the order of lists: those that were created together are then read from few pages, and the key's index grows at its end.
      const isInserted = await insertRecords(db, group.toSorted(byId));
      for (const write of group) isDone.set(write, isInserted);
    }
  };
  // All or none of them, without the round trips of a transaction if there is only one statement.
  await (groups.length === 1 ? insertGroups(db) : db.transaction(insertGroups));
  return writes.map((write) => isDone.get(write) ?? false);
}
