/** What all tests share, from before the first until after the last. Their processes learn of it by their environment. */
import { bundleLibraries } from '../bundle-libraries.mjs';
import { startOnDemand } from './postgres.mjs';

export default async function setup() {
  await bundleLibraries();
  const postgres = await startOnDemand();
  process.env.PHAROS_TEST_POSTGRES = postgres.address;
  return postgres.stop;
}
