/**
 * Node's test runner follows every promise with an async hook, so that it knows which test an error belongs to that nobody
 * catches. That takes a quarter to a third of the processor time of tests that await much, since each promise then needs a
 * reference that the garbage collector has to clear. Node's context of asynchronous calls (`AsyncLocalStorage`) knows the test, too,
 * and costs next to nothing. So the runner gets a hook that follows the tests alone. An error of which the context does not know the test,
 * such as one in an event of a socket, still fails the file, and is told.
 */
import asyncHooks from 'node:async_hooks';
import { isMainThread } from 'node:worker_threads';

/** The process that runs the files has a handful of promises, and threads have no tests. */
if (process.env.NODE_TEST_CONTEXT && isMainThread) await followTestsOnly();

async function followTestsOnly() {
  const { AsyncLocalStorage, AsyncResource, createHook, executionAsyncId } = asyncHooks;
  const running = new AsyncLocalStorage();
  /** What the runner wants to be told of each test; it looks itself whether it is one. */
  let told;

  class Followed extends AsyncResource {
    constructor(type, options) {
      super(type, options);
      told?.init(this.asyncId(), type, this.triggerAsyncId(), this);
    }

    runInAsyncScope(work, self, ...words) {
      // Inside, since it returns to the context in which the test was made.
      return super.runInAsyncScope(() => running.run(this, () => Reflect.apply(work, self, words)));
    }
  }

  const followTests = (callbacks) => ({
    enable: () => {
      told = callbacks;
    },
    disable: () => {
      told = undefined;
    },
  });
  // The runner takes them when it is loaded; whoever comes later gets Node's.
  Object.assign(asyncHooks, {
    AsyncResource: Followed,
    createHook: followTests,
    executionAsyncId: () => running.getStore()?.asyncId() ?? executionAsyncId(),
  });
  try {
    await import('node:test');
  } finally {
    Object.assign(asyncHooks, { AsyncResource, createHook, executionAsyncId });
  }
}
