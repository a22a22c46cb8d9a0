/**
 * The code of a reader thread: runs one query at a time on a connection of its own. Long queries, backups and
 * checkpoints happen here, so that the main thread never waits for them.
 */
import { getPriority, platform, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { Sql, type SqlParameter } from '../../base/sql.ts';
import type { RowBudget } from '../db.ts';
import { openSqliteConnection, type SqliteConnection, usualLogBytes } from './sqlite-connection.ts';

export type ThreadRequest =
  | {
      readonly id: number;
      readonly kind: 'query';
      readonly strings: readonly string[];
      readonly values: readonly SqlParameter[];
      readonly deadlineMs: number;
      readonly within?: RowBudget;
    }
  | { readonly id: number; readonly kind: 'snapshot'; readonly open: boolean }
  | {
      readonly id: number;
      readonly kind: 'checkpoint';
      readonly resets: boolean;
      readonly logBytes?: number | undefined;
    };

export type ThreadAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly message: string; readonly code: string; readonly timedOut: boolean };

const file = workerData as string;
let reader: SqliteConnection | undefined;
let checkpointer: SqliteConnection | undefined;

/** Checkpoints the log. The connection is kept open, since writes may be waiting. */
function checkpoint(resets: boolean, logBytes: number = usualLogBytes): unknown {
  checkpointer ??= openSqliteConnection(file, 'write');
  checkpointer.raw.pragma(`journal_size_limit = ${logBytes}`);
  const checkpointed = checkpointer.raw.pragma('wal_checkpoint(PASSIVE)');
  // The first writer after the reset flushes the log's new header before anything else. Here no reader waits for it.
  // Nothing uses the number; setting it writes one page.
  if (resets) checkpointer.raw.pragma('user_version = 0');
  return checkpointed;
}

/**
 * A nice value: under competition a long query gets a quarter of a processor. With less it would keep the log from
 * being checkpointed.
 */
const patience = 5;
let isPatient = false;

/** With fewer processors than threads, a long query must not keep the main thread from its own. */
function bePatient(): void {
  // Elsewhere a process has one priority for all its threads.
  if (isPatient || platform() !== 'linux') return;
  isPatient = true;
  try {
    if (getPriority() < patience) setPriority(patience);
  } catch {
    // A sandbox may forbid it; queries work all the same.
  }
}

function answer(request: ThreadRequest): unknown {
  if (request.kind === 'checkpoint') return checkpoint(request.resets, request.logBytes);
  reader ??= openSqliteConnection(file, 'read');
  bePatient();
  if (request.kind === 'snapshot') return reader.raw.exec(request.open ? 'begin' : 'rollback') && undefined;
  reader.functions.setDeadline(request.deadlineMs > 0 ? Date.now() + request.deadlineMs : undefined);
  try {
    const statement = new Sql(request.strings, request.values);
    return request.within ? reader.reader.all(statement, request.within) : reader.all(statement);
  } finally {
    reader.functions.setDeadline(undefined);
  }
}

parentPort?.on('message', (request: ThreadRequest) => {
  try {
    parentPort?.postMessage({ id: request.id, value: answer(request) } satisfies ThreadAnswer);
  } catch (error) {
    const { message, code, name } = error as Error & { code?: string };
    const failed: ThreadAnswer = { id: request.id, message, code: String(code ?? ''), timedOut: name === 'Timeout' };
    parentPort?.postMessage(failed);
  }
});
