/** Has made ready what the files need that are about to run. The last lines, after Vitest's own: the slowest files, how long everything took, and `N passed, N failed`, with `, N skipped` if any were. */
import { makeReady } from './needs.mjs';

const maxFiles = 10;

export default class Reporter {
  #vitest;
  #begun = performance.now();

  onInit(vitest) {
    this.#vitest = vitest;
  }

  async onTestRunStart(specifications) {
    await makeReady([...new Set(specifications.map(({ moduleId }) => moduleId))]);
  }

  onTestRunEnd(modules, uncaught) {
    const name = this.#vitest.config.testNamePattern?.source;
    const counts = { passed: 0, failed: uncaught.length, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        counts[test.result().state]++;
        if (test.result().state === 'skipped' && !name)
          this.#say(`  skipped  ${module.relativeModuleId}: ${test.name}`);
      }
      // A file that does not load, or whose hook fails.
      if (module.state() === 'failed' && module.children.allTests('failed').next().done) counts.failed++;
    }
    // Tests with other names were not asked for.
    if (name) counts.skipped = 0;
    this.#tellTimes(modules);
    const { passed, failed, skipped } = counts;
    // At the very end, since what starts PostgreSQL ends the process with the code 0.
    if (failed > 0) process.on('exit', () => (process.exitCode = 1));
    if (passed + failed === 0) {
      process.exitCode = 1;
      if (modules.length === 0) this.#say('There is no such test file.');
      else if (name) this.#say(`No test is called ${JSON.stringify(name)}.`);
    }
    this.#say(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
    // Vitest would list all patterns that it has looked for.
    if (modules.length === 0) process.exit();
  }

  #tellTimes(modules) {
    const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
    const files = modules.map((module) => {
      const { collectDuration, duration } = module.diagnostic();
      return { path: module.relativeModuleId, ms: collectDuration + duration };
    });
    if (files.length > 1)
      for (const { path, ms } of files.sort((a, b) => b.ms - a.ms).slice(0, maxFiles))
        this.#say(`${seconds(ms).padStart(9)}  ${path}`);
    this.#say(`${seconds(performance.now() - this.#begun)} in all`);
  }

  #say(line) {
    this.#vitest.logger.log(line);
  }
}
