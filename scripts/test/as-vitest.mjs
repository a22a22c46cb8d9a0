/** Until every test imports vitest: one that imports `node:test` gets what `node-test.mjs` makes of Vitest. */
import { registerHooks } from 'node:module';

const functions = new URL('./node-test.mjs', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'node:test' && context.parentURL !== functions
      ? { url: functions, format: 'module', shortCircuit: true }
      : next(specifier, context),
});
