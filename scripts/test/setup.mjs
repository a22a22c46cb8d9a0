/** What all tests share, from before the first until after the last. Their processes learn of it by their environment. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleLibraries } from '../bundle-libraries.mjs';
import { startOnDemand } from './postgres.mjs';

export default async function setup({ config }) {
  await bundleLibraries();
  const postgres = await startOnDemand();
  process.env.PHAROS_TEST_POSTGRES = postgres.address;
  // What `server/test/storage/postgres-slice.test.ts` looks at, if nothing is left out.
  const isWhole = !config.filters?.length && !config.testNamePattern && !config.shard;
  process.env.PHAROS_TEST_TOUCHED = isWhole ? mkdtempSync(join(tmpdir(), 'pharos-touched-')) : '';
  return postgres.stop;
}
