/** Vitest's functions under the names of `node:test`, with what its tests find in their context. */
import { mock } from 'node:test';
import { afterAll, afterEach, beforeAll, beforeEach, test as single, describe as suite } from 'vitest';

const skipping = (options) => (options && 'skip' in options ? { ...options, skip: Boolean(options.skip) } : options);
const extend = (work) =>
  work &&
  ((t) => {
    t.onTestFinished(() => mock.reset());
    return work(Object.assign(t, { after: t.onTestFinished, diagnostic: (text) => void t.annotate(text), mock }));
  });
const uses = (work) => (work && work.length > 0 ? extend(work) : work && (() => work()));
const take =
  (define, wrap) =>
  (name, ...rest) => {
    const work = rest.findLast((word) => typeof word === 'function');
    const options = rest.find((word) => typeof word === 'object');
    return options ? define(name, skipping(options), wrap(work)) : define(name, wrap(work));
  };
export const test = take(single, uses);
export const it = test;
export const describe = take(suite, (work) => work);
export { afterAll as after, afterEach, beforeAll as before, beforeEach, mock };
