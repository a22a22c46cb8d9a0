/**
 * Prints each failure when it happens, a line for each file, the failures again, what was skipped, and finally the line
 * `N passed, N failed`, followed by `, N skipped` if anything was. Only tests are counted, not the suites around them; a suite or a file that is
 * skipped as a whole counts as one.
 */
import { relative, resolve } from 'node:path';
import { inspect } from 'node:util';

const cwd = process.cwd();

export default async function* report(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const perFile = new Map();
  const times = new Map();
  const failures = [];
  const skippedFiles = JSON.parse(process.env.PHAROS_TEST_SKIPPED || '{}');
  for await (const { type, data } of source) {
    if (type === 'test:pass' || type === 'test:fail') {
      if (data.skip !== undefined) {
        counts.skipped++;
        const reason = typeof data.skip === 'string' && data.skip !== '' ? `: ${data.skip}` : '';
        yield `– ${data.file ? relative(cwd, data.file) : '?'}  skipped ${JSON.stringify(data.name)}${reason}\n`;
        continue;
      }
      // A file as a whole is reported too; it counts only if it failed without any of its tests failing.
      // Where files share a process, each is a suite with its path for a name.
      const isFile = data.nesting === 0 && /\.test\.(ts|mjs)$/.test(data.name);
      const isContainer = data.details?.type === 'suite' || isFile;
      const path = isFile ? resolve(data.name) : data.file;
      if (data.nesting === 0 && path) times.set(path, (times.get(path) ?? 0) + data.details.duration_ms);
      if (isContainer && !(type === 'test:fail' && data.details.error?.failureType !== 'subtestsFailed')) continue;
      const file = perFile.get(path) ?? { passed: 0, failed: 0 };
      perFile.set(path, file);
      if (type === 'test:pass') {
        counts.passed++;
        file.passed++;
      } else if (data.details.error?.failureType !== 'subtestsFailed') {
        counts.failed++;
        file.failed++;
        const failure = `\n✖ ${data.name}\n  ${path ? relative(cwd, path) : ''}:${data.line ?? ''}\n${indent(inspect(data.details.error?.cause ?? data.details.error))}\n`;
        failures.push(failure);
        yield failure;
      }
    } else if (
      type === 'test:diagnostic' &&
      // The runner tells so of an error that it cannot attribute to a test.
      (data.level !== 'info' || data.message.startsWith('Error: ')) &&
      !/^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /.test(data.message)
    ) {
      yield `  note: ${data.message}\n`;
    } else if (type === 'test:stderr' && process.env.PHAROS_TEST_VERBOSE) {
      yield data.message;
    }
  }
  for (const [file, { passed, failed }] of [...perFile].sort()) {
    yield `${failed > 0 ? '✖' : '✔'} ${file ? relative(cwd, file) : '?'}  ${passed}${failed > 0 ? `, ${failed} failed` : ''}  ${((times.get(file) ?? 0) / 1000).toFixed(1)} s\n`;
  }
  // Again, since whoever looks at the end of a long output looks for these.
  if (perFile.size > 1) yield* failures;
  const name = process.env.PHAROS_TEST_NAME;
  if (name && counts.passed + counts.failed === 0) {
    process.exitCode = 1;
    yield `No test is called ${JSON.stringify(name)}.\n`;
  }
  yield summary(counts, skippedFiles);
}

/** The last lines. `skippedFiles` has the reason for each file. */
export function summary({ passed, failed, skipped }, skippedFiles) {
  const files = Object.entries(skippedFiles);
  const lines = files.map(([file, reason]) => `– ${file}  skipped: ${reason}\n`).join('');
  const all = skipped + files.length;
  return `${lines}\n${passed} passed, ${failed} failed${all > 0 ? `, ${all} skipped` : ''}\n`;
}

function indent(text) {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
