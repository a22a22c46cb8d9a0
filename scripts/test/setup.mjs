/** What all tests share, from before the first until after the last. Their processes learn of it by their environment. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOnDemand } from './postgres.mjs';

export default async function setup() {
  const postgres = await startOnDemand();
  process.env.PHAROS_TEST_POSTGRES = postgres.address;
  // What `server/test/storage/postgres-slice.test.ts` looks at, if nothing is left out.
  const touched = process.env.PHAROS_TEST_WHOLE ? mkdtempSync(join(tmpdir(), 'pharos-touched-')) : '';
  process.env.PHAROS_TEST_TOUCHED = touched;
  return async () => {
    if (touched) rmSync(touched, { recursive: true, force: true });
    await postgres.stop();
  };
}
