/** Before the tests that start the service: they start what is shipped. */
import { bundleProgram } from '../program/bundle.mjs';

export default async function setup() {
  await bundleProgram();
}
